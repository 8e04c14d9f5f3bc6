import type { FastifyReply } from 'fastify'
import type { Language } from '../../../kernel/i18n/translate.ts'
import { twoLanguagePage } from '../../../kernel/i18n/two-language-page.ts'
import { escapeHtml } from '../../notifications/index.ts'
import { LOCAL_LOGIN_PAGE } from '../login-pages.ts'

/**
 * A page of a few words without scripts, for browsers that get neither the file nor the redirect
 * they expect. The texts are English.
 */
export function sendPlainPage(
  reply: FastifyReply,
  language: Language,
  status: number,
  title: string,
  lines: readonly string[],
): FastifyReply {
  return reply
    .status(status)
    .header('Cache-Control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(
      twoLanguagePage(language, {
        title: (say) => escapeHtml(say(title)),
        body: (say) => {
          const words = (text: string) => escapeHtml(say(text))
          return (
            `<h1>${words(title)}</h1>${lines.map((line) => `<p>${words(line)}</p>`).join('')}` +
            `<p><a href="${LOCAL_LOGIN_PAGE}">${words('Use a password instead')}</a></p>`
          )
        },
      }),
    )
}
