import type { Words } from '../messengers/messenger.ts'
import { buttonsOf, firstBytes, linesOf } from '../messengers/words.ts'
import { type Chat, ChatError } from './chat.ts'
import { call } from './post.ts'

/** Bytes of one paragraph, and paragraphs: a message of Teams has 28 kB at most. */
const MAX_BYTES = 2000
const MAX_PARAGRAPHS = 10

/**
 * Microsoft Teams: workflows that begin with "When a Teams webhook request is received" take an
 * Adaptive Card. One posts to a channel; another one, for people, posts to the chat of `recipient`.
 */
export const teams: Chat = {
  name: 'teams',
  title: 'Microsoft Teams',
  reachesPeople: ({ TEAMS_ENABLED, TEAMS_PERSON_WEBHOOK_URL }) => TEAMS_ENABLED && TEAMS_PERSON_WEBHOOK_URL !== '',
  hasRoom: ({ TEAMS_CHANNEL_ENABLED, TEAMS_WEBHOOK_URL }) => TEAMS_CHANNEL_ENABLED && TEAMS_WEBHOOK_URL !== '',
  // The answer of a workflow names no message: its cards stay as they are.
  sendToPerson: ({ TEAMS_PERSON_WEBHOOK_URL }, mail, words) =>
    post(TEAMS_PERSON_WEBHOOK_URL, { recipient: mail, ...cardOf(words) }).then(() => undefined),
  sendToRoom: ({ TEAMS_WEBHOOK_URL }, words) => post(TEAMS_WEBHOOK_URL, cardOf(words)),
}

async function post(url: string, body: object): Promise<void> {
  const { status } = await call(url, { body })
  // A workflow answers 202 as soon as it has begun; its own end is not told.
  if (status >= 200 && status < 300) return
  throw new ChatError(`an answer with the status ${status}`, { isTemporary: false, answered: true })
}

/**
 * A message with one Adaptive Card. Runs of rich text are shown as they are, where other texts of a
 * card are read as Markdown: what a name or a command holds makes no link.
 */
export function cardOf(words: Words): object {
  const { subject } = words
  const buttons = buttonsOf(words)
  const run = (text: string, look: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: firstBytes(text, MAX_BYTES), ...look }],
  })
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.2',
          fallbackText: firstBytes(subject, MAX_BYTES),
          body: [
            run(subject, { weight: 'Bolder', size: 'Medium' }),
            ...linesOf(words)
              .slice(0, MAX_PARAGRAPHS)
              .map((text) => run(text)),
          ],
          ...(buttons.length
            ? { actions: buttons.map(({ text, url }) => ({ type: 'Action.OpenUrl', title: text, url })) }
            : {}),
        },
      },
    ],
  }
}
