import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { Picture } from '../../kinds/desktop/picture/picture.ts'
import type { DesktopTarget } from '../../kinds/desktop/streams.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import type { ConnectOptions, Connector } from '../connector.ts'
import { screenRefusal } from '../desktop-refusals.ts'
import { connectToServer, type ServerConnection, signInFailure, whileConnected } from '../server-connection.ts'
import { type Agreement, agree, type Secrets, type ServerScreen, signIn } from './sign-in.ts'
import { vncTarget } from './vnc-target.ts'

export const vncConnector: Connector<'desktop'> = { protocol: 'vnc', kind: 'desktop', open }

/**
 * A VNC server, signed in to with the stored secret, which never leaves the gateway otherwise.
 * Throws SshError and SessionRefusal.
 */
async function open(kernel: Kernel, options: ConnectOptions<'desktop'>): Promise<DesktopTarget> {
  const { target } = options
  const hop = target.gateways.length ? 1 : 0
  let agreement: Agreement | undefined
  let server: ServerConnection | undefined
  try {
    server = await connectToServer(kernel, options, async (stream) => {
      agreement = await agree(stream, target.credentials.username !== '')
      return agreement.tls
    })
    const { stream } = server
    const agreed = agreement as Agreement
    // A question is answered in a person's time, not in a machine's.
    const secrets = await secretsFor(agreed, options)
    const screen = await whileConnected(stream, options, () => signIn(stream, agreed, secrets, hop))
    return vncTarget({ server, screen, picture: pictureOf(screen), log: kernel.app.log })
  } catch (error) {
    server?.close()
    throw signInFailure(error, options)
  }
}

function pictureOf({ width, height }: ServerScreen): Picture {
  try {
    return new Picture(width, height)
  } catch {
    throw screenRefusal({ width, height })
  }
}

/** The secrets that the server wants, from the vault, or else from the person. */
async function secretsFor(
  { inner }: Agreement,
  { target: { credentials }, answer, end }: ConnectOptions<'desktop'>,
): Promise<Secrets> {
  const { language } = end
  const given = { username: credentials.username, password: credentials.password ?? '' }
  if (inner === 'account' && !given.username)
    given.username = (await answer(`${translate(language, 'Username')}: `, true)) ?? ''
  if (inner !== 'none' && !given.password)
    given.password = (await answer(`${translate(language, 'Password')}: `, false)) ?? ''
  if (given.username.length > 255 || given.password.length > 1024) throw new ProtocolViolation('a secret too long')
  return { account: async () => given, password: async () => given.password }
}
