import type { Kernel } from '../../../kernel/kernel.ts'
import { type Settings, settingsOf } from '../../settings/index.ts'
import type { Words } from '../messengers/messenger.ts'
import { buttonsOf, linesOf } from '../messengers/words.ts'
import { type Chat, ChatError } from './chat.ts'
import { call } from './post.ts'

/** Characters of a header, of a section and of a button's label. */
const MAX = { header: 150, section: 3000, button: 75 }
/** Paragraphs of one message; Slack takes 50 blocks. */
const MAX_PARAGRAPHS = 40
/** Error words that mean: try again later. */
const BUSY = ['ratelimited', 'rate_limited', 'internal_error', 'fatal_error', 'service_unavailable', 'request_timeout']

/**
 * Slack (api.slack.com): an app of the company writes to people as its bot, and to one channel by an
 * incoming webhook.
 */
export const slack: Chat = {
  name: 'slack',
  title: 'Slack',
  reachesPeople: ({ SLACK_ENABLED, SLACK_BOT_TOKEN }) => SLACK_ENABLED && SLACK_BOT_TOKEN !== '',
  hasRoom: ({ SLACK_CHANNEL_ENABLED, SLACK_WEBHOOK_URL }) => SLACK_CHANNEL_ENABLED && SLACK_WEBHOOK_URL !== '',
  async sendToPerson(settings, mail, words) {
    const channel = await idByMail(settings, mail)
    const isCalled = settings.SLACK_SIGNING_SECRET !== ''
    const { channel: chat, ts } = await slackApi(settings, 'chat.postMessage', {
      channel,
      ...messageOf(words, isCalled),
    })
    return typeof chat === 'string' && typeof ts === 'string' ? `${chat}/${ts}` : undefined
  },
  async sendToRoom({ SLACK_WEBHOOK_URL }, words) {
    const { status, text } = await call(SLACK_WEBHOOK_URL, { body: messageOf(words) })
    if (status === 200 && text.trim() === 'ok') return
    throw new ChatError(`${errorWord(text) ?? 'no answer of Slack'} (${status})`, {
      isTemporary: false,
      answered: true,
    })
  },
}

/**
 * Puts other words into a message of the bot; `place` is the id of the chat, which is not that of the
 * person, and the time of the message. Throws `ChatError`.
 */
export async function changeSlackCard(settings: Settings, place: string, words: Words): Promise<void> {
  const [channel, ts] = place.split('/')
  await slackApi(settings, 'chat.update', { channel, ts, ...messageOf(words) })
}

/** The id of the person whom Slack knows by this mail. */
async function idByMail(settings: Settings, mail: string): Promise<string> {
  const { user } = await slackApi(settings, `users.lookupByEmail?${new URLSearchParams({ email: mail })}`)
  const id = (user as { id?: unknown } | undefined)?.id
  if (typeof id === 'string' && /^[A-Z0-9]{2,64}$/.test(id)) return id
  throw new ChatError('the answer names nobody', { isTemporary: false, answered: true })
}

/** A call of the bot; answers what Slack does. */
async function slackApi(
  { SLACK_API_URL, SLACK_BOT_TOKEN }: Settings,
  method: string,
  body?: object,
): Promise<Readonly<Record<string, unknown>>> {
  const url = `${SLACK_API_URL.replace(/\/+$/, '')}/${method}`
  const { status, text } = await call(url, { token: SLACK_BOT_TOKEN, ...(body ? { body } : {}) })
  const answer = readJson(text)
  if (answer?.ok === true) return answer
  const error = errorWord(String(answer?.error ?? '')) ?? `an answer with the status ${status}`
  throw new ChatError(error, {
    isTemporary: BUSY.includes(error),
    answered: answer !== undefined,
    isUnknownPerson: error === 'users_not_found',
  })
}

function readJson(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** One of Slack's error words; any other text comes from elsewhere and is shown to nobody. */
const errorWord = (text: string): string | undefined => /^[a-z_]{2,60}$/.exec(text.trim())?.[0]

const STYLE = { good: 'primary', danger: 'danger' } as const

/**
 * A message in blocks of plain text: what a name or a command holds makes no link and calls nobody.
 * `isCalled`: Slack calls us when a button with a code is pressed; otherwise it leads to a page.
 */
export function messageOf(words: Words, isCalled = false): object {
  const { subject } = words
  const buttons = buttonsOf(words)
  const plain = (text: string, max: number) => ({ type: 'plain_text', text: shortened(text, max), emoji: false })
  return {
    // Notifications of the system show this; it is read as Slack's own markup.
    text: shortened(escaped(subject), MAX.section),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(subject, MAX.header) },
      ...linesOf(words)
        .slice(0, MAX_PARAGRAPHS)
        .map((text) => ({ type: 'section', text: plain(text, MAX.section) })),
      ...(buttons.length
        ? [
            {
              type: 'actions',
              elements: buttons.map(({ text, url, code, tone }) => ({
                type: 'button',
                text: plain(text, MAX.button),
                ...(isCalled && code ? { action_id: `decide_${tone}`, value: code } : { url }),
                ...(tone ? { style: STYLE[tone] } : {}),
              })),
            },
          ]
        : []),
    ],
  }
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The beginning of a text, no character cut in half. Slack refuses empty ones. */
function shortened(text: string, max: number): string {
  const whole = text.trim() === '' ? '–' : text
  if (whole.length <= max) return whole
  return `${whole.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/**
 * Says something to the person who has pressed a button, at the address that Slack named for it; `isOver`:
 * in place of the card. Throws `ChatError`, also for an address that is not Slack's.
 */
export async function answerInSlack(kernel: Kernel, responseUrl: string, text: string, isOver: boolean): Promise<void> {
  const url = URL.parse(responseUrl)
  const own = URL.parse(settingsOf(kernel).get('SLACK_API_URL'))
  if (!url || (url.origin !== 'https://hooks.slack.com' && url.origin !== own?.origin))
    throw new ChatError('an address that is not of Slack', { isTemporary: false })
  const words = { text: escaped(shortened(text, MAX.section)), mrkdwn: false }
  const { status } = await call(responseUrl, {
    body: isOver
      ? { replace_original: true, ...words }
      : { response_type: 'ephemeral', replace_original: false, ...words },
  })
  if (status !== 200) throw new ChatError(`an answer with the status ${status}`, { isTemporary: false, answered: true })
}
