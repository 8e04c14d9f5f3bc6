import { expect, test } from 'vitest'
import { CLIENTS } from './db.ts'

const ENTRY = { host: 'gate.test', port: 3306, token: 'one-time', database: 'shop', authority: undefined }
const groups = (type: string, authority?: string) => {
  const { parameters = [], file } = CLIENTS[type]?.({ ...ENTRY, authority }) ?? {}
  expect(parameters.join(' ')).not.toContain(ENTRY.token)
  const [, client, mariadb] = (file?.text ?? '').split(/^\[[a-z-]+\]$/m)
  return [client, mariadb].map((lines = '') => lines.trim().split('\n'))
}

test('no client of MySQL or MariaDB sends the connection token in clear, whichever of them `mysql` is', () => {
  for (const type of ['mysql', 'mariadb']) {
    const [client, mariadb] = groups(type)
    expect(client).toContain('user=one-time')
    expect(client?.includes('loose-ssl-mode=REQUIRED')).toBe(type === 'mysql')
    expect(mariadb).toEqual(['ssl', 'disable-ssl-verify-server-cert'])
  }
})

test('with certificates these clients check the server and its name', () => {
  for (const type of ['mysql', 'mariadb']) {
    const [client, mariadb] = groups(type, '/tmp/site.pem')
    expect(client).toContain('ssl-ca=/tmp/site.pem')
    expect(client?.includes('loose-ssl-mode=VERIFY_IDENTITY')).toBe(type === 'mysql')
    expect(mariadb).toEqual(['ssl', 'ssl-verify-server-cert'])
  }
})
