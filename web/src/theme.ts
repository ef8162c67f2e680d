import { createTheme, type CSSVariablesResolver } from '@mantine/core';

/**
 * One look for all screens: neutral greys, one blue, radius 6, two weights. Components have plain objects here: an import of theirs
 * would load each of them with the first page.
 */
export const theme = createTheme({
  colors: {
    dark: [
      '#e7eaf0',
      '#c3cad6',
      '#a3adbd',
      '#7d889a',
      '#3a4352',
      '#2d3440',
      '#1d222b',
      '#12151b',
      '#0e1116',
      '#0a0c10',
    ],
  },
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'var(--mono)',
  defaultRadius: 6,
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '20px', lineHeight: '28px' }, h2: { fontSize: '16px', lineHeight: '24px' } },
  },
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '18px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 'var(--target)' } },
    // A header would be a second banner of the page.
    DrawerHeader: { defaultProps: { component: 'div' } },
    ModalHeader: { defaultProps: { component: 'div' } },
    Button: { defaultProps: { size: 'sm' } },
    Input: { defaultProps: { size: 'sm' } },
    // A menu owns items alone; the focus goes to the first one.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: {
      defaultProps: { centered: true, transitionProps: { duration: 140 }, closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 600 } },
    },
    Drawer: { styles: { title: { fontWeight: 600 } } },
    NavLink: { styles: { label: { fontSize: '14px' } } },
    // On a phone the names of tabs stay in one line, which scrolls.
    Tabs: {
      styles: {
        list: { flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden', scrollbarWidth: 'none' },
        tab: { flex: 'none' },
      },
    },
    Switch: { defaultProps: { withThumbIndicator: false } },
  },
});

/** Mantine's own surfaces take the colours of `tokens.css`. */
export const variables: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-body': 'var(--ground)',
    '--mantine-color-text': 'var(--text)',
    '--mantine-color-dimmed': 'var(--text-soft)',
    '--mantine-color-default-border': 'var(--line)',
    '--mantine-color-placeholder': 'var(--text-faint)',
    '--mantine-color-error': 'var(--severity-critical)',
    '--mantine-color-anchor': 'var(--focus)',
  };
  return { variables: {}, light: shared, dark: { ...shared, '--mantine-color-default': 'var(--ground-raised)' } };
};
