/** What servers do that no well-behaved one does. */
import { createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type LdapSettings, withDirectory } from './directory.ts'
import { ldapSettings } from './people-fixture.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/**
 * An LDAP server of our own making; answers the settings to reach it, and how many connections
 * came.
 */
async function startServer(
  talk: (socket: Socket, request: Buffer) => void,
): Promise<{ settings: LdapSettings; connections: () => number }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', (request) => talk(socket, request as Buffer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = server.address() as { port: number }
  const settings = {
    ...ldapSettings(`ldap://127.0.0.1:${port}`),
    AUTH_LDAP_CONNECT_TIMEOUT: 1,
    AUTH_LDAP_START_TLS: false,
    AUTH_LDAP_TLS_CA_FILE: '',
  }
  return { settings, connections: () => sockets.length }
}

/** "Success" to a bind; short requests hold their number in the fifth byte. */
const bound = (request: Buffer) => Buffer.from([0x30, 0x0c, 2, 1, request[4] ?? 0, 0x61, 7, 0x0a, 1, 0, 4, 0, 4, 0])

test('a server that takes the connection and says nothing is given up', async () => {
  const { settings } = await startServer(() => {})
  const encrypted = { ...settings, AUTH_LDAP_START_TLS: true }
  // Each takes its seconds: at the same time.
  const asked = [
    withDirectory(settings, (directory) => directory.find('anna', () => false)),
    withDirectory(encrypted, (directory) => directory.find('anna', () => false)),
    // Listing may take minutes, but not the bind before it.
    withDirectory(settings, (directory) => directory.list(() => false), { long: true }),
  ]
  await Promise.all(asked.map((one) => expect(one).rejects.toThrow('The LDAP server does not answer')))
})

test('a server that hangs up is not connected to again, where the password would go without bind or encryption', async () => {
  const { settings, connections } = await startServer((socket, request) => socket.end(bound(request)))
  const asked = withDirectory(settings, async (directory) => {
    await expect(directory.find('anna', () => false)).rejects.toThrow()
    return directory.isPassword('cn=anna', 'secret')
  })
  await expect(asked).rejects.toThrow('The LDAP server ended the connection')
  expect(connections()).toBe(1)
})

test('a server that talks nonsense, or refuses StartTLS, is reported as such and gets no password', async () => {
  let seen = ''
  const nonsense = await startServer((socket, request) => {
    seen += request.toString('latin1')
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  await expect(
    withDirectory({ ...nonsense.settings, AUTH_LDAP_START_TLS: true }, (directory) => directory.list(() => false)),
  ).rejects.toThrow()
  expect(seen).toContain('1.3.6.1.4.1.1466.20037')
  expect(seen).not.toContain('Serving-1')
})
