import {
  ActionIcon,
  Button,
  createTheme,
  type CSSVariablesResolver,
  Drawer,
  Input,
  Menu,
  Modal,
  NavLink,
  Tabs,
  Tooltip,
} from '@mantine/core';

/** One look for all screens: neutral greys, one blue, radius 6, two weights. */
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
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray', size: 'var(--target)' } }),
    // A header would be a second banner of the page.
    DrawerHeader: { defaultProps: { component: 'div' } },
    ModalHeader: { defaultProps: { component: 'div' } },
    Button: Button.extend({ defaultProps: { size: 'sm' } }),
    Input: Input.extend({ defaultProps: { size: 'sm' } }),
    // A menu owns items alone; the focus goes to the first one.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({
      defaultProps: { centered: true, transitionProps: { duration: 140 }, closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 600 } },
    }),
    Drawer: Drawer.extend({ styles: { title: { fontWeight: 600 } } }),
    NavLink: NavLink.extend({ styles: { label: { fontSize: '14px' } } }),
    // On a phone the names of tabs stay in one line, which scrolls.
    Tabs: Tabs.extend({
      styles: {
        list: { flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden', scrollbarWidth: 'none' },
        tab: { flex: 'none' },
      },
    }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 400, withArrow: true } }),
  },
});

/** Mantine's own surfaces take the colours of `tokens.css`. */
export const variables: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-body': 'var(--ground)',
    '--mantine-color-text': 'var(--text)',
    '--mantine-color-dimmed': 'var(--text-soft)',
    '--mantine-color-default-border': 'var(--line)',
    '--mantine-color-placeholder': 'var(--text-soft)',
    '--mantine-color-error': 'var(--severity-critical)',
    '--mantine-color-anchor': 'var(--focus)',
  };
  return { variables: {}, light: shared, dark: { ...shared, '--mantine-color-default': 'var(--ground-raised)' } };
};
