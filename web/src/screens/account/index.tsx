import { type ReactNode, useEffect } from 'react';
import { usePhone } from '@/lib/navigation/usePhone';
import { auth } from '@/lib/session/identity';
import { useSession } from '@/lib/session/workspace';
import { PageHeader } from '@/parts/PageHeader';
import { SectionIndex } from '@/parts/SectionIndex';
import { Activity } from '@/screens/account/Activity';
import { AuthenticatorApp } from '@/screens/account/AuthenticatorApp';
import { Calendars } from '@/screens/account/Calendars';
import { ChatAccounts } from '@/screens/account/ChatAccounts';
import { CloseAccount } from '@/screens/account/CloseAccount';
import { DesktopNotices } from '@/screens/account/DesktopNotices';
import { Devices } from '@/screens/account/Devices';
import { Display } from '@/screens/account/Display';
import { EmailAddress } from '@/screens/account/EmailAddress';
import { Identities } from '@/screens/account/Identities';
import { Paging } from '@/screens/account/Paging';
import { Passkeys } from '@/screens/account/Passkeys';
import { Password } from '@/screens/account/Password';
import { Profile } from '@/screens/account/Profile';
import { Sessions } from '@/screens/account/Sessions';
import { PhoneQuietHours } from '@/screens/account/PhoneQuietHours';
import { ShiftMails } from '@/screens/account/ShiftMails';
import { TrustedBrowsers } from '@/screens/account/TrustedBrowsers';

/**
 * Everything about the person who is signed in, outside of any workspace. A phone changes no factor of sign-in, and begins
 * with its notifications.
 */
export default function Account() {
  const { me } = useSession();
  const isDevice = auth().kind === 'device';
  const isPhone = usePhone();
  const isFirst = isDevice || isPhone;
  useEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), []);
  // One list with keys: a window that becomes as wide as a phone moves the devices, and their open dialog stays.
  const devices = <Devices key="devices" />;
  return (
    <>
      <PageHeader title="Account" about={me.email} />
      <SectionIndex />
      {[
        isFirst && devices,
        <Profile key="profile" me={me} />,
        <Display key="display" />,
        <Paging key="paging" me={me} />,
        <PhoneQuietHours key="quiet" me={me} />,
        <ShiftMails key="shifts" me={me} />,
        <Calendars key="calendars" />,
        ...(isDevice ? [] : ofBrowser(me, isFirst ? null : devices)),
      ]}
    </>
  );
}

/** What a browser shows beyond that of a phone. */
function ofBrowser(me: ReturnType<typeof useSession>['me'], devices: ReactNode): ReactNode[] {
  return [
    <DesktopNotices key="desktop" />,
    <EmailAddress key="email" me={me} />,
    <Password key="password" me={me} />,
    <AuthenticatorApp key="app" />,
    <Passkeys key="passkeys" />,
    <Identities key="identities" />,
    <Sessions key="sessions" />,
    me.hasSecondFactor && <TrustedBrowsers key="browsers" />,
    devices,
    <ChatAccounts key="chat" />,
    <Activity key="activity" />,
    <CloseAccount key="close" me={me} />,
  ];
}
