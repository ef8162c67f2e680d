import classes from '@/screens/account/Account.module.css';

/** A QR code as a picture: an SVG in an image runs no script. Its ground stays white in the dark theme, for cameras. */
export function QrCode({ svg, label }: { svg: string; label: string }) {
  return (
    <img
      src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`}
      alt={label}
      width={220}
      height={220}
      className={classes.qrCode}
    />
  );
}
