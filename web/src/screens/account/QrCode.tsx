/** A QR code as a picture: an SVG in an image runs no script. Its ground stays white in the dark theme, for cameras. */
export function QrCode({ svg, label }: { svg: string; label: string }) {
  return (
    <img
      src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`}
      alt={label}
      width={220}
      height={220}
      style={{
        display: 'block',
        margin: '0 auto',
        background: '#fff',
        borderRadius: 6,
        border: '1px solid var(--line)',
      }}
    />
  );
}
