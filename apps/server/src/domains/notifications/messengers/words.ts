import type { Words } from './messenger.ts'

/**
 * Breaks up link syntax in names or commands within a message, so that nobody can place a link
 * there; the text stays readable.
 */
const unlinked = (text: string) => text.replaceAll('](', '] (')

/** Markdown as WeCom and DingTalk render it: a bold subject, paragraphs, a link. */
export function asMarkdown({ subject, paragraphs, link }: Words): string {
  const lines = [`**${unlinked(subject)}**`, ...paragraphs.map(unlinked)]
  return [...lines, ...(link ? [`[${link.text.replace(/[[\]]/g, '')}](${link.url})`] : [])].join('\n\n')
}

/** The lines of a card under each other, as `label: value`. */
const factLines = ({ facts = [] }: Words) => facts.map(({ label, value }) => `${label}: ${value}`)

/** The texts of a card: its paragraphs, then its lines. */
export const linesOf = (words: Words): string[] => [
  ...words.paragraphs.filter((text) => text.trim() !== ''),
  ...factLines(words),
]

/** The buttons of a card, the link last. */
export const buttonsOf = ({
  buttons = [],
  link,
}: Words): { text: string; url: string; code?: string; tone?: 'good' | 'danger' }[] => [
  ...buttons,
  ...(link ? [link] : []),
]

/** Whether a message has buttons of its own, and so needs a card. */
export const isCard = ({ buttons = [] }: Words): boolean => buttons.length > 0

/**
 * Text without the link. `<at …>` would mention people and other tags would be rendered, so tags
 * are broken up.
 */
export function asPlainText({ subject, paragraphs }: Words): string {
  return [subject, ...paragraphs].map((text) => unlinked(text).replace(/<(?=[/a-z])/gi, '< ')).join('\n\n')
}

/** The beginning of a text: at most so many bytes of UTF-8, no character cut in half. */
export function firstBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return text
  const end = Buffer.byteLength('…')
  return `${new TextDecoder().decode(bytes.subarray(0, limit - end), { stream: true })}…`
}

/** The agent's id, a text in the settings, as the number that messengers want. */
export const agentNumber = (agent: string): number | string => (/^\d{1,15}$/.test(agent) ? Number(agent) : agent)

/** An id as it may be stored; undefined when the answer has none. */
export const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= 128 ? value : undefined
