/** The kinds of browsers that install an app in different ways. */
export type Platform = 'ios' | 'ios-other' | 'android-chromium' | 'android-firefox' | 'desktop';

/** An iPad calls itself a Mac; its touch screen distinguishes the two. */
export function platform(agent = navigator.userAgent, touches = navigator.maxTouchPoints): Platform {
  const isApple = /iPhone|iPad/.test(agent) || (/Macintosh/.test(agent) && touches > 1);
  if (isApple) return /CriOS|FxiOS|EdgiOS|OPiOS/.test(agent) ? 'ios-other' : 'ios';
  if (/Android/.test(agent)) return /Firefox\//.test(agent) ? 'android-firefox' : 'android-chromium';
  return 'desktop';
}
