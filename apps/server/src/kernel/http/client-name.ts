import bowser from 'bowser'
import type { FastifyRequest } from 'fastify'

/** As much as the login log keeps. */
const MAX_USER_AGENT = 254

/** The User-Agent of a request, fit to be stored; '' when there is none. */
export function userAgentOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return (headers['user-agent'] ?? '').replaceAll('\0', '').slice(0, MAX_USER_AGENT)
}

/**
 * Systems whose version browsers report; on desktops they froze it (Windows 11 reports 10, macOS
 * 10.15 for ever).
 */
const VERSIONED = ['iOS', 'Android']

/**
 * Browser and system of a User-Agent as people know them: `Firefox 143`, `Windows`. Empty where it
 * does not say.
 */
export function clientName(userAgent: string): { browser: string; system: string } {
  // The library throws for an empty text.
  if (!userAgent) return { browser: '', system: '' }
  const { browser, os } = bowser.parse(userAgent)
  return {
    browser: words(browser.name, browser.version?.split('.')[0]),
    system: words(os.name, VERSIONED.includes(os.name ?? '') ? os.version : undefined),
  }
}

const words = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' ')
