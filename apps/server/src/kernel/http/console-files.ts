import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'

export const CONSOLE_DIRECTORY = fileURLToPath(new URL('../../../../console/dist/', import.meta.url))

/** Pages of the console build and the addresses where they live; paths below them belong to the page's own router. */
const PAGES: readonly { file: string; urls: readonly string[] }[] = [
  { file: 'index.html', urls: ['/ui/', '/ui/*'] },
  { file: 'luna.html', urls: ['/luna/', '/luna/*', '/koko/terminal/', '/koko/monitor/*'] },
]

/** Serves the built console: hashed assets for ever, pages always fresh. */
export async function registerConsoleFiles(app: FastifyInstance): Promise<void> {
  if (existsSync(join(CONSOLE_DIRECTORY, 'assets'))) {
    await app.register(async (scope) => {
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, access: ['anonymous'] }
      })
      await scope.register(fastifyStatic, {
        root: join(CONSOLE_DIRECTORY, 'assets'),
        prefix: '/ui/assets/',
        preCompressed: true,
        immutable: true,
        maxAge: '365d',
        decorateReply: false,
      })
    })
  }
  for (const { file, urls } of PAGES) {
    for (const url of urls)
      app.route({
        method: 'GET',
        url,
        config: { access: ['anonymous'], summary: `Page ${file}` },
        handler: (_request, reply) => sendPage(reply, file),
      })
  }
  app.route({
    method: 'GET',
    url: '/',
    config: { access: ['anonymous'], summary: 'To the console, or to sign in' },
    handler: (request, reply) => reply.redirect(request.call.user ? '/ui/' : '/core/auth/login/'),
  })
}

/** Answers a page of the console build. */
export function sendPage(reply: FastifyReply, file: string): FastifyReply {
  const path = join(CONSOLE_DIRECTORY, file)
  reply.header('Cache-Control', 'no-cache').type('text/html; charset=utf-8')
  if (!existsSync(path))
    return reply.status(503).send('<!doctype html><title>Sallyport</title><p>The console has not been built yet: run npm run build.</p>')
  return reply.send(readFileSync(path))
}
