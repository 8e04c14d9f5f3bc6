import { defineSettings } from './define.ts'

const name = (label: string) => ({ type: 'string', label, required: true, maxLength: 256, default: '' }) as const
const secret = (label: string) =>
  // The services' addresses are fixed, or set by file and environment (`messengerAddresses`).
  ({ type: 'string', label, maxLength: 256, writeOnly: true, sentTo: { addresses: [] }, default: '' }) as const

/** docs/rules/settings.md#setting_wecom. */
export const wecom = defineSettings({
  WECOM_CORPID: { ...name('Corp ID'), helpText: 'In the admin console of WeCom under My company' },
  WECOM_AGENTID: { ...name('Agent ID'), helpText: 'AgentId of the app that you have made for this' },
  WECOM_SECRET: secret('Secret'),
  AUTH_WECOM: { type: 'boolean', label: 'Sign-in by WeCom', default: false },
})

/** docs/rules/settings.md#setting_dingtalk. */
export const dingtalk = defineSettings({
  DINGTALK_AGENTID: { ...name('Agent ID'), helpText: 'AgentId of the app that you have made for this' },
  DINGTALK_APPKEY: name('App key'),
  DINGTALK_APPSECRET: secret('App secret'),
  AUTH_DINGTALK: { type: 'boolean', label: 'Sign-in by DingTalk', default: false },
})

/** docs/rules/settings.md#setting_feishu. */
export const feishu = defineSettings({
  FEISHU_APP_ID: { ...name('App ID'), helpText: 'App ID of the app that you have made for this' },
  FEISHU_APP_SECRET: secret('App secret'),
  AUTH_FEISHU: { type: 'boolean', label: 'Sign-in by FeiShu', default: false },
})

const webhook = (label: string, helpText: string) =>
  // A secret itself: with the address alone, anybody may write there.
  ({
    type: 'string',
    label,
    helpText,
    maxLength: 1024,
    writeOnly: true,
    sentTo: { addresses: [] },
    default: '',
  }) as const

/** docs/rules/settings.md#setting_slack. */
export const slack = defineSettings({
  SLACK_ENABLED: {
    type: 'boolean',
    label: 'Messages to people by Slack',
    helpText: 'People are found in Slack by their email address',
    default: false,
  },
  SLACK_BOT_TOKEN: {
    ...secret('Bot token'),
    helpText: 'Of an app with the scopes chat:write, users:read and users:read.email; begins with xoxb-',
  },
  SLACK_SIGNING_SECRET: {
    ...secret('Signing secret'),
    helpText: 'With it tickets are decided in Slack itself; the app calls /api/v1/tickets/slack/interactions/',
  },
  SLACK_CHANNEL_ENABLED: {
    type: 'boolean',
    label: 'System messages to a Slack channel',
    helpText: 'Once for all, instead of to each recipient',
    default: false,
  },
  SLACK_WEBHOOK_URL: webhook('Incoming webhook of the channel', 'Begins with https://hooks.slack.com/services/'),
})

/** docs/rules/settings.md#setting_teams. */
export const teams = defineSettings({
  TEAMS_ENABLED: {
    type: 'boolean',
    label: 'Messages to people by Teams',
    helpText: 'By a workflow that posts to the chat of the recipient',
    default: false,
  },
  TEAMS_PERSON_WEBHOOK_URL: webhook(
    'Webhook of the workflow for people',
    'The email address is in the field recipient',
  ),
  TEAMS_CHANNEL_ENABLED: {
    type: 'boolean',
    label: 'System messages to a Teams channel',
    helpText: 'Once for all, instead of to each recipient',
    default: false,
  },
  TEAMS_WEBHOOK_URL: webhook(
    'Webhook of the workflow for the channel',
    'Of a workflow that begins when a Teams webhook request is received',
  ),
})

const address = (label: string, helpText: string, value: string) =>
  ({ type: 'url', label, helpText, maxLength: 1024, default: value }) as const

/**
 * Where the services are called; by file and environment only: a person who could set it elsewhere would
 * be handed their secrets.
 */
export const messengerAddresses = defineSettings({
  WECOM_API_URL: address('WeCom server', 'Address for calls of WeCom', 'https://qyapi.weixin.qq.com'),
  WECOM_LOGIN_URL: address(
    'WeCom sign-in page',
    'Address of the page with the QR code',
    'https://open.work.weixin.qq.com',
  ),
  DINGTALK_API_URL: address(
    'DingTalk server',
    'Address for calls, and of the page with the QR code',
    'https://oapi.dingtalk.com',
  ),
  FEISHU_API_URL: address('FeiShu server', 'The same; https://open.larksuite.com for Lark', 'https://open.feishu.cn'),
  SLACK_API_URL: address('Slack server', 'Address for calls of Slack', 'https://slack.com/api'),
})

/** docs/rules/settings.md#setting_sms. */
export const sms = defineSettings({
  SMS_ENABLED: {
    type: 'boolean',
    label: 'Send text messages',
    helpText: 'For codes of the second factor and of forgotten passwords',
    default: false,
  },
  SMS_BACKEND: {
    type: 'choice',
    label: 'SMS provider',
    choices: { alibaba: 'Alibaba cloud', tencent: 'Tencent cloud' },
    default: 'alibaba',
  },
})

const testPhone = { type: 'string', label: 'Test phone', maxLength: 256, default: '' } as const

/** docs/rules/settings.md#setting_alibaba. */
export const alibaba = defineSettings({
  SMS_TEST_PHONE: testPhone,
  ALIBABA_ACCESS_KEY_ID: name('Access key ID'),
  ALIBABA_ACCESS_KEY_SECRET: secret('Access key secret'),
  ALIBABA_VERIFY_SIGN_NAME: { ...name('Signature'), helpText: 'The approved name that messages begin with' },
  ALIBABA_VERIFY_TEMPLATE_CODE: {
    ...name('Template code'),
    helpText: 'An approved template with one variable: the code',
  },
})

/** docs/rules/settings.md#setting_tencent. */
export const tencent = defineSettings({
  SMS_TEST_PHONE: testPhone,
  TENCENT_SECRET_ID: name('Secret ID'),
  TENCENT_SECRET_KEY: secret('Secret key'),
  TENCENT_SDKAPPID: name('SDK app id'),
  TENCENT_VERIFY_SIGN_NAME: { ...name('Signature'), helpText: 'The approved name that messages begin with' },
  TENCENT_VERIFY_TEMPLATE_CODE: {
    ...name('Template code'),
    helpText: 'An approved template with one variable: the code',
  },
})
