/**
 * Channels by which a message may be sent, in the order in which they are shown
 * (docs/rules/notifications.md#channels).
 */
export const CHANNELS = {
  email: 'Email',
  wecom: 'WeCom',
  dingtalk: 'DingTalk',
  site_msg: 'Site message',
  feishu: 'FeiShu',
  slack: 'Slack',
  teams: 'Microsoft Teams',
} as const
export type Channel = keyof typeof CHANNELS

/**
 * Kinds of messages that the installation sends to subscribers, by category
 * (docs/rules/notifications.md#system_msg_subscription).
 */
export const SYSTEM_KINDS = {
  ServerPerformanceMessage: { label: 'Server performance', category: 'Operations' },
  TaskFailureMessage: { label: 'Failed task', category: 'Operations' },
  CommandAlertMessage: { label: 'Danger command alert', category: 'terminal' },
  CommandExecutionAlert: { label: 'Batch command alert', category: 'terminal' },
  RecordingAlertMessage: { label: 'Incomplete recording', category: 'terminal' },
} as const
export type SystemKind = keyof typeof SYSTEM_KINDS
export const SYSTEM_CATEGORIES = { Operations: 'Operations', terminal: 'Sessions' } as const
