import { theme as antd, type ThemeConfig } from 'antd'
import { COMPACT, DARK, LIGHT, SIZES } from './tokens.ts'

/** The component library's theme for a person's choice, from the same tokens as our own styles. */
export function themeFor({ dark, compact }: { dark: boolean; compact: boolean }): ThemeConfig {
  const colors = dark ? DARK : LIGHT
  const control = Number.parseInt((compact && COMPACT.control) || SIZES.control, 10)
  return {
    algorithm: [...(dark ? [antd.darkAlgorithm] : []), ...(compact ? [antd.compactAlgorithm] : [])],
    token: {
      colorPrimary: colors['accent-solid'],
      colorLink: colors.link,
      colorLinkHover: colors.link,
      colorLinkActive: colors.link,
      colorInfo: colors.info,
      colorSuccess: colors.good,
      colorWarning: colors.warning,
      colorError: colors.danger,
      colorText: colors.text,
      colorTextSecondary: colors.quiet,
      colorTextTertiary: colors.quiet,
      colorTextPlaceholder: colors.quiet,
      colorTextDescription: colors.quiet,
      colorBorder: colors['line-strong'],
      colorBorderSecondary: colors.line,
      colorBgContainer: colors.surface,
      colorBgElevated: colors.surface,
      colorBgLayout: colors.ground,
      ...(dark ? { colorBgBase: colors.ground } : {}),
      controlItemBgActive: colors.chosen,
      controlItemBgActiveHover: colors.chosen,
      borderRadius: Number.parseInt(SIZES.radius, 10),
      fontSize: Number.parseInt(SIZES['text-body'], 10),
      controlHeight: control,
      fontFamily: 'var(--font)',
      motionDurationMid: '0.12s',
      motionDurationSlow: '0.16s',
    },
    components: {
      Menu: {
        itemBg: 'transparent',
        subMenuItemBg: 'transparent',
        itemColor: colors.text,
        itemSelectedBg: colors.chosen,
        itemSelectedColor: colors.accent,
        itemHoverBg: colors.hover,
        itemHeight: compact ? 30 : 34,
        itemMarginInline: 8,
        itemMarginBlock: 1,
        activeBarBorderWidth: 0,
      },
      Tabs: {
        horizontalMargin: '0 0 16px 0',
        itemSelectedColor: colors.accent,
        itemHoverColor: colors.accent,
        inkBarColor: colors.accent,
      },
      Dropdown: {
        colorPrimary: colors.accent,
        // Danger is text on the menu, and the ground of text under the pointer.
        ...(dark ? { colorTextLightSolid: colors.ground } : {}),
      },
      Button: {
        primaryShadow: 'none',
        defaultShadow: 'none',
        dangerShadow: 'none',
        ...(dark ? { dangerColor: colors.ground } : {}),
      },
      Form: { itemMarginBottom: compact ? 12 : 18 },
    },
  }
}
