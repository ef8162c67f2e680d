const NOTES = [
  { hertz: 880, from: 0 },
  { hertz: 1174.66, from: 0.14 },
];
const LENGTH = 0.18;
const VOLUME = 0.15;

/** Two short notes. Browsers stay silent in a page that the person has not used yet. */
export function playSound(): void {
  if (!('AudioContext' in window)) return;
  const context = new AudioContext();
  void context.resume().catch(() => undefined);
  const notes = NOTES.map(({ hertz, from }) => {
    const note = context.createOscillator();
    const volume = context.createGain();
    const starts = context.currentTime + from;
    note.frequency.value = hertz;
    volume.gain.setValueAtTime(VOLUME, starts);
    volume.gain.exponentialRampToValueAtTime(0.001, starts + LENGTH);
    note.connect(volume).connect(context.destination);
    note.start(starts);
    note.stop(starts + LENGTH);
    return note;
  });
  const last = notes.at(-1);
  if (last) last.onended = () => void context.close();
}
