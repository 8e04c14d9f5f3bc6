import { WIRE } from '@sallyport/contract/constants.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Language } from './translate.ts'

/**
 * What people get who have not chosen a language (`SALLYPORT_LANGUAGE`): one of ours, or that of
 * their browser.
 */
export const INSTALLATION_LANGUAGES = ['cn', 'en', 'browser'] as const
export type InstallationLanguage = (typeof INSTALLATION_LANGUAGES)[number]

declare module 'fastify' {
  interface FastifyInstance {
    /** The one place where it is known: set by `createApp`, the same on every node. */
    installationLanguage: InstallationLanguage
  }
}

export interface RequestLanguage {
  language: Language
  /**
   * Whether it is the caller's: chosen, or their browser's where browsers are asked. Otherwise it
   * is the installation's.
   */
  isLanguageKnown: boolean
}

/**
 * The language of a request: the choice in cookie `django_language` first (A1.19), then what the
 * installation has for people without a choice. Also for requests whose cookies are not read yet.
 */
export function languageOf({
  cookies,
  headers,
  server,
}: Pick<FastifyRequest, 'headers' | 'server'> & Partial<Pick<FastifyRequest, 'cookies'>>): RequestLanguage {
  const { [WIRE.languageCookie]: chosen } = cookies ?? server.parseCookie(headers.cookie ?? '')
  const known = chosen
    ? languageOfTag(chosen)
    : server.installationLanguage === 'browser'
      ? acceptedLanguage(headers['accept-language'])
      : undefined
  return { language: known ?? standardLanguage(server), isLanguageKnown: known !== undefined }
}

/**
 * The language for people of whom nothing is known where there is no browser to ask: in mails, over
 * SSH, in jobs. Chinese unless the installation's is English.
 */
export function standardLanguage({ installationLanguage }: Pick<FastifyInstance, 'installationLanguage'>): Language {
  return installationLanguage === 'en' ? 'en' : 'cn'
}

/** The value of the cookie for a language. */
export const COOKIE_VALUES: Readonly<Record<Language, string>> = { cn: 'zh-hans', en: 'en' }

/** For the `lang` attribute of documents (BCP 47). */
export const HTML_LANGUAGES: Readonly<Record<Language, string>> = { cn: 'zh-CN', en: 'en' }

/** English is `en`, anything else Chinese (A1.19). */
const languageOfTag = (tag: string): Language => (/^en/i.test(tag) ? 'en' : 'cn')

/**
 * The language of ours that a browser likes best (RFC 9110 §12.5.4), the first of equals; undefined
 * where it names none.
 */
export function acceptedLanguage(header = ''): Language | undefined {
  let best: { language: Language; quality: number } | undefined
  for (const part of header.split(',')) {
    const [, tag = '', weight = '1'] = /^\s*(en|zh)(?:-[\w-]*)?\s*(?:;\s*q=([\d.]+)\s*)?$/i.exec(part) ?? []
    const quality = Number(weight)
    if (tag && quality > (best?.quality ?? 0)) best = { language: languageOfTag(tag), quality }
  }
  return best?.language
}
