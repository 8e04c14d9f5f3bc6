// Class 11: injection: shell, SQL, LDAP filter, template, log and terminal escapes, CSV formula,
// header, path. Hostile values for every field of every resource are tried by the generated walk;
// here, those that would show outside of the database.
import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { strFromU8, unzipSync } from 'fflate'
import { readSheet } from 'read-excel-file/node'
import { beforeAll, expect, test } from 'vitest'
import {
  type Answer,
  admin,
  aJar,
  aName,
  anAddress,
  call,
  fine,
  LOGIN,
  PASSWORD,
  type Person,
  place,
  ROOT_ORG,
  signIn,
} from './visitor.ts'

let keeper: Person
beforeAll(async () => {
  keeper = await admin()
})

const NAMES = [
  "admin' OR '1'='1",
  "admin'--",
  'admin)(&))',
  '*)(uid=*',
  '$(touch /tmp/sallyport-was-here)',
  '`id`',
  '{{7*7}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text itself is what is tried
  '${7*7}',
  '../../../../etc/passwd',
  'admin\r\nX-Injected: yes',
  '\u001b]0;owned\u0007\u001b[2J',
]

test('names that are code somewhere else sign nobody in, are no fault, and are in the login log as they were typed', async () => {
  for (const username of NAMES) {
    const { status, body, headers } = await aJar().call('POST', LOGIN, { username, password: "' OR ''='" })
    expect(`${JSON.stringify(username)} ${status} ${body.error}`).toBe(
      `${JSON.stringify(username)} 400 password_failed`,
    )
    expect(headers.get('x-injected')).toBeNull()
  }
  expect((await aJar().call('POST', LOGIN, { username: 'admin\u0000', password: 'x' })).status).toBe(400)
  for (const typed of ['$(touch /tmp/sallyport-was-here)', '{{7*7}}', '*)(uid=*']) {
    const { results } = fine(
      await keeper.in(ROOT_ORG).call('GET', `/api/v1/audits/login-logs/?limit=5&username=${encodeURIComponent(typed)}`),
    )
    expect(results[0]).toMatchObject({ username: typed, status: false })
  }
})

test('a name writes no line of its own into the log, nor sequences that a terminal would obey', async () => {
  const mark = aName('mark')
  await aJar().call('POST', LOGIN, { username: `${mark}\n{"level":60,"msg":"forged"}\u001b[31m`, password: 'x' })
  await call('GET', `/${mark}%0a%7b%22level%22:60,%22msg%22:%22forged%22%7d%1b[31m`, undefined, {
    'x-forwarded-for': anAddress(),
    'user-agent': mark,
  })
  const lines = (await readFile(place.log, 'utf8')).split('\n')
  expect(lines.filter((line) => line.startsWith('{"level":60'))).toEqual([])
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  expect(lines.filter((line) => /[\u0000-\u0008\u000b-\u001f]/.test(line.replace('\r', '')))).toEqual([])
})

/**
 * Begins what spreadsheet programs run, also written wide as Chinese keyboards do, or behind signs
 * that they pass over.
 */
const RUN_BY_PROGRAMS = /^[\s\p{Cf}\p{Cc}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u
const FORMULAS = [
  '=HYPERLINK("http://evil.example")',
  '+1+1',
  '-1+1',
  '@SUM(1)',
  '\t=1+1',
  '\r=1+1',
  '＝1+1',
  '\u200b=1+1',
  ' =1+1',
]

test.each(['csv', 'xlsx'])('cells of exports do not begin as formulas, in either format: %s', async (format) => {
  const labels: { id: string; name: string; comment: string }[] = []
  for (const comment of FORMULAS)
    labels.push(
      fine(await keeper.call('POST', '/api/v1/assets/labels/', { name: aName('label'), value: 'x', comment })),
    )
  const answer = await fetch(
    `${place.url}/api/v1/assets/labels/?format=${format}&ids=${labels.map(({ id }) => id).join(',')}`,
    {
      headers: { authorization: `Bearer ${keeper.token}`, 'x-jms-org': keeper.org },
    },
  )
  expect(answer.status).toBe(200)
  const rows = await cellsOf(Buffer.from(await answer.arrayBuffer()), format)
  expect(rows.length).toBe(FORMULAS.length + 1)
  for (const { name, comment } of labels) {
    const row = rows.find((cells) => cells.includes(name))
    expect(row).toContain(`'${comment}`)
  }
  expect(rows.flat().filter((cell) => RUN_BY_PROGRAMS.test(cell))).toEqual([])
})

/** The content of each cell for a reader of the format; a workbook with formulas in it fails. */
async function cellsOf(file: Buffer, format: string): Promise<string[][]> {
  if (format === 'csv') return parse(file, { bom: true })
  const sheet = strFromU8(unzipSync(file)['xl/worksheets/sheet1.xml'] ?? new Uint8Array())
  expect(sheet).toContain('<row')
  expect(sheet).not.toMatch(/<f[\s>]/)
  const rows = await readSheet(file, { trim: false })
  return rows.map((cells) => cells.map((cell) => String(cell ?? '')))
}

test('names and addresses make no headers of their own', async () => {
  const answers: Answer[] = [
    await keeper.call('GET', '/api/v1/assets/labels/?format=csv%0d%0aX-Injected:%20yes'),
    await keeper.call('GET', '/core/auth/login/?next=/ui/%0d%0aX-Injected:%20yes'),
    await call('GET', '/core/auth/logout/?next=/ui/%0d%0aX-Injected:%20yes'),
    await call('GET', '/api/assets/v1/assets/%0d%0aX-Injected:%20yes/'),
  ]
  for (const { status, headers } of answers) {
    expect(status).toBeLessThan(500)
    expect(headers.get('x-injected')).toBeNull()
    for (const [name, value] of headers) expect(`${name}: ${value}`).not.toMatch(/\r|\n/)
  }
  // The old address answers with the new one, with the line break still written as it came.
  expect(answers[3]?.headers.get('location')).toBe('/api/v1/assets/assets/%0d%0aX-Injected:%20yes/')
})

test('the name of a downloaded file is one value, whatever its person is called', async () => {
  const make = (username: string) =>
    keeper.call('POST', '/api/v1/users/users/', {
      name: 'named',
      username,
      email: `${aName('mail')}@example.com`,
      password_strategy: 'custom',
      password: PASSWORD,
    })
  expect((await make(`${aName('named')}a\r\nX-Injected: yes`)).status).toBe(400)
  for (const evil of ['"; filename="evil.exe', "a'b; x=(1)*", '../../etc/passwd']) {
    const username = `${aName('named')}${evil}`
    fine(await make(username))
    const { status, headers } = await (await signIn(username)).call('GET', '/core/auth/profile/pubkey/generate/')
    expect(status).toBe(200)
    expect(headers.get('x-injected')).toBeNull()
    const [, reported = ''] =
      /^attachment; filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]+)$/.exec(headers.get('content-disposition') ?? '') ?? []
    // What another system reads as a path or an order is gone.
    expect(decodeURIComponent(reported)).toMatch(/^named-[^"\\/]*-sallyport\.pem$/)
  }
})

test('no path climbs out of the folders that are served', async () => {
  const climbs = ['..%2f', '..%5c', '%2e%2e/', '....//', '..;/', '%252e%252e%252f', '..%c0%af']
  for (const base of ['/ui/static/', '/static/', '/media/', '/ui/', '/luna/'])
    for (const up of climbs)
      for (const file of ['etc/passwd', 'package.json', 'secret.key']) {
        const { text } = await call('GET', `${base}${up.repeat(8)}${file}`, undefined, { accept: '*/*' })
        expect(`${base}${up}: ${/root:x:0|"private": true|^[A-Za-z0-9+/]{43}=/.test(text)}`).toBe(`${base}${up}: false`)
      }
})

test('words in searches and filters are words, not patterns or conditions', async () => {
  const name = aName('label')
  fine(await keeper.call('POST', '/api/v1/assets/labels/', { name, value: 'x' }))
  const found = async (query: string) =>
    fine(await keeper.call('GET', `/api/v1/assets/labels/?limit=5&${query}`)).count as number
  expect(await found(`search=${name}`)).toBe(1)
  for (const query of [
    `search=${name.slice(0, -1)}_`,
    `search=%25${name}%25`,
    `name=${name}'%20OR%20'1'='1`,
    `search=${name}')%20OR%201=1--`,
  ])
    expect(`${query} ${await found(query)}`).toBe(`${query} 0`)
  expect((await keeper.call('GET', '/api/v1/assets/labels/?limit=5&order=(SELECT%20pg_sleep(1))')).status).toBeLessThan(
    500,
  )
})
