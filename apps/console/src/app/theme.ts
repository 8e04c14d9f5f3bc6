import type { ThemeConfig } from 'antd'

/** Calm and dense: one accent, small radii, compact controls. CSS of our own reads the same values from `app.css`. */
export const theme: ThemeConfig = {
  token: {
    colorPrimary: '#0f7b6c',
    colorLink: '#0f6f8f',
    colorInfo: '#0f6f8f',
    colorSuccess: '#2f8f5b',
    colorWarning: '#b7791f',
    colorError: '#c2413b',
    colorText: '#1f2a33',
    colorTextSecondary: '#5b6b78',
    colorBorder: '#d5dce2',
    colorBgLayout: '#f3f5f7',
    borderRadius: 4,
    fontSize: 14,
    controlHeight: 32,
    fontFamily: '"Inter", "Segoe UI", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", system-ui, sans-serif',
    motionDurationMid: '0.12s',
    motionDurationSlow: '0.16s',
  },
  components: {
    Menu: {
      darkItemBg: '#2f4050',
      darkSubMenuItemBg: '#293846',
      darkItemColor: '#a7b1c2',
      darkItemSelectedBg: '#1d2a35',
      itemHeight: 38,
      itemBorderRadius: 0,
      itemMarginInline: 0,
      itemMarginBlock: 0,
    },
    Form: { itemMarginBottom: 18 },
    Tabs: { horizontalMargin: '0 0 12px 0' },
  },
}
