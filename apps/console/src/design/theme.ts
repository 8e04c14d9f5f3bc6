import { theme as antd, type ThemeConfig } from 'antd'

/**
 * Calm and dense: one accent, small radii, compact controls. CSS of our own reads the same values
 * from `base.css`.
 */
const LIGHT: NonNullable<ThemeConfig['token']> = {
  colorPrimary: '#0f7b6c',
  colorLink: '#0f6f8f',
  colorLinkHover: '#0b566f',
  colorLinkActive: '#0b566f',
  colorInfo: '#0f6f8f',
  colorSuccess: '#267a4d',
  colorWarning: '#946213',
  colorError: '#c2413b',
  colorText: '#1f2a33',
  colorTextSecondary: '#5b6b78',
  colorTextTertiary: '#5b6b78',
  colorTextPlaceholder: '#66747f',
  colorTextDescription: '#5b6b78',
  colorBorder: '#d5dce2',
  colorBgLayout: '#f3f5f7',
}

/** The algorithm makes the other shades of these. */
const DARK: NonNullable<ThemeConfig['token']> = {
  colorPrimary: '#138a7a',
  colorLink: '#5db8d6',
  // What the algorithm makes of it under the pointer is too dark to read.
  colorLinkHover: '#8ccfe4',
  colorLinkActive: '#8ccfe4',
  colorInfo: '#5db8d6',
  colorSuccess: '#5cc48a',
  colorWarning: '#e0a83e',
  colorError: '#f0827c',
  colorText: '#dbe3ea',
  colorTextSecondary: '#9fb0bd',
  colorTextTertiary: '#9fb0bd',
  colorTextPlaceholder: '#8fa0ad',
  colorTextDescription: '#9fb0bd',
  colorBorder: '#43535f',
  colorBorderSecondary: '#2c3943',
  colorBgBase: '#12181d',
  colorBgContainer: '#1a2229',
  colorBgElevated: '#222c34',
  colorBgLayout: '#12181d',
}

/** The component library's theme for a person's choice. */
export function themeFor({ dark, compact }: { dark: boolean; compact: boolean }): ThemeConfig {
  const side = dark ? '#1b262f' : '#2f4050'
  return {
    algorithm: [...(dark ? [antd.darkAlgorithm] : []), ...(compact ? [antd.compactAlgorithm] : [])],
    token: {
      ...(dark ? DARK : LIGHT),
      borderRadius: 4,
      fontSize: 14,
      controlHeight: compact ? 28 : 32,
      fontFamily:
        '"Inter", "Segoe UI", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", system-ui, sans-serif',
      motionDurationMid: '0.12s',
      motionDurationSlow: '0.16s',
    },
    components: {
      Menu: {
        darkItemBg: side,
        darkSubMenuItemBg: dark ? '#162028' : '#293846',
        darkItemColor: '#a7b1c2',
        darkItemSelectedBg: dark ? '#0f171d' : '#1d2a35',
        itemHeight: compact ? 34 : 38,
        itemBorderRadius: 0,
        itemMarginInline: 0,
        itemMarginBlock: 0,
      },
      // The links and texts in the accent colour must be readable on a dark page.
      ...(dark
        ? {
            Tabs: {
              itemSelectedColor: '#3fbfae',
              itemHoverColor: '#3fbfae',
              inkBarColor: '#3fbfae',
              horizontalMargin: '0 0 12px 0',
            },
          }
        : { Tabs: { horizontalMargin: '0 0 12px 0' } }),
      Dropdown: {
        colorPrimary: dark ? '#7fe0d2' : '#0b5e52',
        controlItemBgActive: dark ? '#1d3a3b' : '#e6f3f0',
        controlItemBgActiveHover: dark ? '#234546' : '#d9ece8',
        // Danger is text on the menu, and the ground of text under the pointer.
        ...(dark ? { colorError: '#f6a19b', colorTextLightSolid: '#1a0a09' } : {}),
      },
      Button: dark ? { dangerColor: '#1a0a09' } : {},
      // Days of the neighbouring months can be chosen, so they must be readable.
      DatePicker: { colorTextDisabled: dark ? '#9fb0bd' : '#66747f' },
      Form: { itemMarginBottom: compact ? 12 : 18 },
    },
  }
}

/** The theme of pages that are the same for everyone. */
export const theme = themeFor({ dark: false, compact: false })
