import type { Words } from './messenger.ts'

/**
 * Takes away from a name or command in a message what would make it a link of the sender's choice;
 * the text itself stays as it is.
 */
const unlinked = (text: string) => text.replaceAll('](', '] (')

/** What WeCom and DingTalk draw: a bold subject, paragraphs, a link. */
export function asMarkdown({ subject, paragraphs, link }: Words): string {
  const lines = [`**${unlinked(subject)}**`, ...paragraphs.map(unlinked)]
  return [...lines, ...(link ? [`[${link.text.replace(/[[\]]/g, '')}](${link.url})`] : [])].join('\n\n')
}

/**
 * Without the link. A `<at …>` in it would call people, and other tags are drawn, so they are taken
 * apart.
 */
export function asPlainText({ subject, paragraphs }: Words): string {
  return [subject, ...paragraphs].map((text) => unlinked(text).replace(/<(?=[/a-z])/gi, '< ')).join('\n\n')
}

/** The beginning of a text, at most so many bytes of UTF-8, no character cut in half. */
export function firstBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return text
  const end = Buffer.byteLength('…')
  return `${new TextDecoder().decode(bytes.subarray(0, limit - end), { stream: true })}…`
}

/** Agents are numbers to the messengers, and texts in the settings. */
export const agentNumber = (agent: string): number | string => (/^\d{1,15}$/.test(agent) ? Number(agent) : agent)

/** An id as it may be stored; undefined when an answer holds none. */
export const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= 128 ? value : undefined
