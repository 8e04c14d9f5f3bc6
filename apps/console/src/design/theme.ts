import { theme as antd, type ThemeConfig } from 'antd'
import { COMPACT, DARK, LIGHT, SIZES } from './tokens.ts'

/** The component library's theme for a person's choice, from the same tokens as our own styles. */
export function themeFor({ dark, compact }: { dark: boolean; compact: boolean }): ThemeConfig {
  const colours = dark ? DARK : LIGHT
  const control = Number.parseInt((compact && COMPACT.control) || SIZES.control, 10)
  return {
    algorithm: [...(dark ? [antd.darkAlgorithm] : []), ...(compact ? [antd.compactAlgorithm] : [])],
    token: {
      colorPrimary: colours['accent-solid'],
      colorLink: colours.link,
      colorLinkHover: colours.link,
      colorLinkActive: colours.link,
      colorInfo: colours.info,
      colorSuccess: colours.good,
      colorWarning: colours.warning,
      colorError: colours.danger,
      colorText: colours.text,
      colorTextSecondary: colours.quiet,
      colorTextTertiary: colours.quiet,
      colorTextPlaceholder: colours.quiet,
      colorTextDescription: colours.quiet,
      colorBorder: colours['line-strong'],
      colorBorderSecondary: colours.line,
      colorBgContainer: colours.surface,
      colorBgElevated: colours.surface,
      colorBgLayout: colours.ground,
      ...(dark ? { colorBgBase: colours.ground } : {}),
      controlItemBgActive: colours.chosen,
      controlItemBgActiveHover: colours.chosen,
      borderRadius: Number.parseInt(SIZES.radius, 10),
      fontSize: Number.parseInt(SIZES['text-body'], 10),
      controlHeight: control,
      fontFamily: SIZES.font,
      motionDurationMid: '0.12s',
      motionDurationSlow: '0.16s',
    },
    components: {
      Menu: {
        itemBg: 'transparent',
        subMenuItemBg: 'transparent',
        itemColor: colours.text,
        itemSelectedBg: colours.chosen,
        itemSelectedColor: colours.accent,
        itemHoverBg: colours.hover,
        itemHeight: compact ? 30 : 34,
        itemMarginInline: 8,
        itemMarginBlock: 1,
        activeBarBorderWidth: 0,
      },
      Tabs: {
        horizontalMargin: '0 0 16px 0',
        itemSelectedColor: colours.accent,
        itemHoverColor: colours.accent,
        inkBarColor: colours.accent,
      },
      Dropdown: {
        colorPrimary: colours.accent,
        // Danger is text on the menu, and the ground of text under the pointer.
        ...(dark ? { colorTextLightSolid: colours.ground } : {}),
      },
      Button: {
        primaryShadow: 'none',
        defaultShadow: 'none',
        dangerShadow: 'none',
        ...(dark ? { dangerColor: colours.ground } : {}),
      },
      // Days of the neighbouring months can be chosen, so they must be readable.
      DatePicker: { colorTextDisabled: colours.quiet },
      Form: { itemMarginBottom: compact ? 12 : 18 },
    },
  }
}
