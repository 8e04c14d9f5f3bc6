import { and, eq, sql } from 'drizzle-orm'
import type { FastifyReply } from 'fastify'
import { hashKey, randomText } from '../../kernel/access/random-secret.ts'
import { notFound } from '../../kernel/errors/app-error.ts'
import { sendPage } from '../../kernel/http/console-files.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { singleValues } from '../../kernel/resource/query.ts'
import { authenticationFlashMessage, type FlashMessage } from './tables.ts'

const PAGE = '/core/common/flash-message/'
const CODE_LENGTH = 12
const LIFE_SECONDS = 60
/** Seconds until the page goes on by itself. */
const SHOWN_SECONDS = 3

/**
 * Leads the browser over a page with a message (docs/rules/authentication.md#login_page: a code
 * of 12 characters, valid for a minute).
 */
export async function flash(kernel: Kernel, reply: FastifyReply, message: FlashMessage): Promise<FastifyReply> {
  const code = randomText(CODE_LENGTH)
  await kernel.db.insert(authenticationFlashMessage).values({
    code_hash: hashKey(code),
    message,
    date_expired: sql`now() + make_interval(secs => ${LIFE_SECONDS})`,
  })
  return reply.redirect(`${PAGE}?code=${code}`)
}

/** The page with the message, which is fetched as JSON. */
export function registerFlashMessages(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: PAGE,
    config: { access: ['anonymous'], summary: 'A message between two pages', answers: 'html' },
    handler: async (request, reply) => {
      if (!String(request.headers.accept ?? '').includes('application/json')) return sendPage(reply, 'login.html')
      reply.header('Cache-Control', 'no-store')
      const [row] = await kernel.db
        .select({ message: authenticationFlashMessage.message })
        .from(authenticationFlashMessage)
        .where(
          and(
            eq(authenticationFlashMessage.code_hash, hashKey(singleValues(request.query).code ?? '')),
            sql`${authenticationFlashMessage.date_expired} > now()`,
          ),
        )
      if (!row) throw notFound()
      const { title, text, values, seconds = SHOWN_SECONDS, to, cancel } = row.message
      const say = (words: string) => translate(request.call.language, words, values)
      return { title: say(title), message: say(text), seconds, url: to, cancel_url: cancel ?? null }
    },
  })
}
