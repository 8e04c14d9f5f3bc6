/** Colours of lines and slices, in order (contract/dashboard.yaml). */
export const CHART_COLORS = ['#1ab394', '#1C84C6', '#9CC3DA'] as const
