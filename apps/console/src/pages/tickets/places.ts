import { msg, t } from '../../lib/i18n.ts'

/** Where people decide, by the names that the server stores. */
const PLACES: Readonly<Record<string, string>> = {
  console: msg('Console'),
  api: msg('API'),
  wecom: msg('WeCom card'),
  dingtalk: msg('DingTalk card'),
  feishu: msg('FeiShu card'),
  slack: msg('Slack'),
  teams: msg('Microsoft Teams'),
}

/** Where something was decided, in words; empty for tickets of before it was kept. */
export const placeInWords = (place: string | undefined): string => {
  const words = place && PLACES[place]
  return words ? t(words) : ''
}
