import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { HTML_LANGUAGES, languageOf } from '../i18n/language-of.ts'

export const CONSOLE_DIRECTORY = fileURLToPath(new URL('../../../../console/dist/', import.meta.url))

/** What leads out of a folder, or names nothing: the sender's own refusal of it would be a fault. */
const NO_FILE = /(?:^|[\\/])\.\.(?:[\\/]|$)|\0/

/** Pages of the console build and their addresses; paths below belong to the page's own router. */
const PAGES: readonly { file: string; urls: readonly string[] }[] = [
  { file: 'index.html', urls: ['/ui/', '/ui/*'] },
  {
    file: 'luna.html',
    urls: [
      '/luna/',
      '/luna/*',
      '/koko/terminal/',
      '/koko/monitor/*',
      '/koko/share/*',
      '/koko/token/',
      '/koko/elfinder/sftp/',
      '/koko/elfinder/sftp/*',
      '/lion/',
      '/lion/monitor/',
      '/core/download/',
    ],
  },
]

/**
 * Serves the built console: files with hashes in their names are cached for ever, pages never. They
 * come while the database is away, too, and say so.
 */
export async function registerConsoleFiles(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, {
    root: join(CONSOLE_DIRECTORY, 'static'),
    serve: false,
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
  })
  app.route({
    method: 'GET',
    url: '/ui/static/*',
    config: { access: ['anonymous'], withoutCaller: true, summary: 'Files of the console build', answers: 'file' },
    handler: (request, reply) => {
      const { '*': name } = request.params as { '*': string }
      return NO_FILE.test(name) ? reply.callNotFound() : reply.sendFile(name)
    },
  })
  for (const { file, urls } of PAGES) {
    for (const url of urls)
      app.route({
        method: 'GET',
        url,
        config: { access: ['anonymous'], withoutCaller: true, summary: `Page ${file}`, answers: 'html' },
        handler: (_request, reply) => sendPage(reply, file),
      })
  }
  app.route({
    method: 'GET',
    url: '/',
    config: { access: ['anonymous'], summary: 'To the console, or to sign in', answers: 'moved', answerStatus: 302 },
    handler: (request, reply) => reply.redirect(request.call.user ? '/ui/' : '/core/auth/login/'),
  })
}

/**
 * Answers a page of the console build, in the reader's language: its code goes by the `lang` of the
 * document, and so needs no answer before it paints.
 */
export function sendPage(reply: FastifyReply, file: string): FastifyReply {
  const path = join(CONSOLE_DIRECTORY, file)
  reply.header('Cache-Control', 'no-cache').type('text/html; charset=utf-8')
  if (!existsSync(path))
    return reply
      .status(503)
      .send('<!doctype html><title>Sallyport</title><p>The console has not been built yet: run npm run build.</p>')
  const { language } = languageOf(reply.request)
  return reply.send(
    readFileSync(path, 'utf8').replace(/<html lang="[^"]*"/, `<html lang="${HTML_LANGUAGES[language]}"`),
  )
}
