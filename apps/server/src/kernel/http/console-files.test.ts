import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installAccessGuard } from '../access/guard.ts'
import type { InstallationLanguage } from '../i18n/language-of.ts'
import { translate } from '../i18n/translate.ts'
import { CONSOLE_DIRECTORY, registerConsoleFiles } from './console-files.ts'
import { createApp } from './create-app.ts'

const folder = join(CONSOLE_DIRECTORY, 'static')
const named = (name: RegExp) => (existsSync(folder) ? (readdirSync(folder).find((file) => name.test(file)) ?? '') : '')
const script = named(/^core-.*\.js$/)
const font = named(/\.woff2$/)

let app: FastifyInstance
const others: FastifyInstance[] = []
beforeAll(async () => {
  app = await openApp()
})
afterAll(() => Promise.all([app, ...others].map((one) => one?.close())))

async function openApp(language?: InstallationLanguage): Promise<FastifyInstance> {
  const app = await createApp({ logLevel: 'silent', trustedProxies: [], uploadLimit: () => 1000, language })
  // A caller is looked up in the database.
  installAccessGuard(app, {
    identify: () => Promise.reject(new Error('Connection terminated unexpectedly')),
    isLicensed: () => false,
    hasBootstrapToken: () => false,
  })
  app.route({
    method: 'GET',
    url: '/core/some/page/',
    config: { access: ['anonymous'] },
    handler: () => 'never reached',
  })
  await registerConsoleFiles(app)
  return app
}

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { cookie: 'sessionid=somebody', ...headers } })

test.skipIf(!script)(
  'files are sent as the browser takes them: Brotli, gzip or as they are, and kept for ever',
  async () => {
    const encodings = ['gzip, deflate, br, zstd', 'gzip, deflate', 'br;q=0, gzip', 'identity', '']
    const answers = await Promise.all(
      encodings.map((encoding) => get(`/ui/static/${script}`, encoding ? { 'accept-encoding': encoding } : {})),
    )
    expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual([
      'br',
      'gzip',
      'gzip',
      undefined,
      undefined,
    ])
    for (const { statusCode, headers } of answers) {
      expect(statusCode).toBe(200)
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
      expect(headers.vary).toContain('accept-encoding')
    }
  },
)

test.skipIf(!font)('the font is our own, is kept for ever, and is allowed by the policy of the pages', async () => {
  const { statusCode, headers } = await get(`/ui/static/${font}`, { 'accept-encoding': 'gzip, br' })
  expect([statusCode, headers['content-type']]).toEqual([200, 'font/woff2'])
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  const { headers: page } = await get('/ui/')
  expect(page['content-security-policy']).toMatch(/font-src 'self'/)
})

test.skipIf(!script)('console and web terminal come while the database is away', async () => {
  for (const url of ['/ui/', '/ui/users/users', '/luna/', `/ui/static/${script}`])
    expect([url, (await get(url)).statusCode]).toEqual([url, 200])
})

test.each(['..%2f..%2fetc%2fpasswd', '..%5c..%5cx', 'a/%2e%2e%2f..%2fx', '%00', 'x'.repeat(300), 'no-such.js'])(
  'a path that is no file of the build is not found: %s',
  async (name) => {
    const { statusCode, body } = await get(`/ui/static/${name}`)
    expect([statusCode, JSON.parse(body).code]).toEqual([404, 'not_found'])
  },
)

test('while the database is away, a browser that opens another page sees that in its language and tries again; programs get the code', async () => {
  const html = { accept: 'text/html,*/*;q=0.8' }
  const page = await get('/core/some/page/', { ...html, cookie: 'sessionid=somebody; django_language=en' })
  expect([page.statusCode, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8'])
  expect(page.body).toContain('The database does not answer. This page tries again by itself.')
  expect(page.body).toContain('<meta http-equiv="refresh" content="5">')
  expect((await get('/core/some/page/', html)).body).toContain('数据库暂时没有响应')
  const program = await get('/core/some/page/', { accept: 'application/json' })
  expect(program.json()).toMatchObject({ code: 'unavailable' })
})

// Visitors by the cookie of their choice, and by the languages that their browser asks for.
const NOBODY = { cookie: '' }
const ENGLISH_BROWSER = { cookie: '', 'accept-language': 'en-US,en;q=0.9' }
const CHINESE_BROWSER = { cookie: '', 'accept-language': 'zh-CN,zh;q=0.9' }
const FRENCH_BROWSER = { cookie: '', 'accept-language': 'fr-FR,fr;q=0.9' }
const FRENCH_THEN_ENGLISH = { cookie: '', 'accept-language': 'fr, zh;q=0.3, en;q=0.5, *;q=0.1' }
const CHOSE_ENGLISH = { ...CHINESE_BROWSER, cookie: 'django_language=en' }
const CHOSE_CHINESE = { ...ENGLISH_BROWSER, cookie: 'django_language=zh-hans' }

test.each([
  { language: undefined, chinese: [NOBODY, ENGLISH_BROWSER, CHINESE_BROWSER, CHOSE_CHINESE], english: [CHOSE_ENGLISH] },
  { language: 'cn', chinese: [NOBODY, ENGLISH_BROWSER, CHINESE_BROWSER, CHOSE_CHINESE], english: [CHOSE_ENGLISH] },
  { language: 'en', chinese: [CHOSE_CHINESE], english: [NOBODY, ENGLISH_BROWSER, CHINESE_BROWSER, CHOSE_ENGLISH] },
  {
    language: 'browser',
    chinese: [NOBODY, CHINESE_BROWSER, FRENCH_BROWSER, CHOSE_CHINESE],
    english: [ENGLISH_BROWSER, FRENCH_THEN_ENGLISH, CHOSE_ENGLISH],
  },
] as const)(
  '[A1.19] SALLYPORT_LANGUAGE=$language: console, answers and pages of errors are in one language, and a choice wins',
  async ({ language, chinese, english }) => {
    const one = await openApp(language)
    others.push(one)
    const spoken = async (headers: Record<string, string>) => {
      const texts = await Promise.all([
        one.inject({ url: '/ui/nowhere', headers }).then(({ body }) => /<html lang="(.*?)"/.exec(body)?.[1]),
        one.inject({ url: '/no/such/address/', headers }).then((answer) => answer.json().detail),
        // Refused before any of its cookies is read.
        one.inject({ url: '/no/%ff/', headers }).then((answer) => answer.json().detail),
        one
          .inject({
            url: '/core/some/page/',
            headers: { accept: 'text/html', ...headers, cookie: `sessionid=x; ${headers.cookie}` },
          })
          .then(({ body }) => /<main id="(\w+)"[^>]*class="own"/.exec(body)?.[1]),
      ])
      return texts.slice(script ? 0 : 1)
    }
    const malformed = 'This address cannot be read: it is malformed or too long'
    const both = {
      en: ['en', 'Not found.', malformed, 'en'],
      cn: ['zh-CN', translate('cn', 'Not found.'), translate('cn', malformed), 'cn'],
    }
    for (const headers of english)
      expect([headers, await spoken(headers)]).toEqual([headers, both.en.slice(script ? 0 : 1)])
    for (const headers of chinese)
      expect([headers, await spoken(headers)]).toEqual([headers, both.cn.slice(script ? 0 : 1)])
  },
)
