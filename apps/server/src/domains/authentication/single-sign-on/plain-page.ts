import type { FastifyReply } from 'fastify'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
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
  const say = (text: string) => escapeHtml(translate(language, text))
  return reply
    .status(status)
    .header('Cache-Control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="${language === 'cn' ? 'zh' : 'en'}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<title>${say(title)}</title><body style="font:15px/1.5 system-ui,sans-serif;max-width:36em;margin:10vh auto;padding:0 16px">` +
        `<h1 style="font-size:20px">${say(title)}</h1>${lines.map((line) => `<p>${say(line)}</p>`).join('')}` +
        `<p><a href="${LOCAL_LOGIN_PAGE}">${say('Use a password instead')}</a></p></body></html>`,
    )
}
