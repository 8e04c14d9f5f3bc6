import { X509Certificate } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { Kernel } from '../../../kernel/kernel.ts'
import { SshError } from '../../../kernel/ssh/connect.ts'
import { Picture } from '../../kinds/desktop/picture/picture.ts'
import type { DesktopTarget } from '../../kinds/desktop/streams.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { AccountRefused, proveAccount } from '../../protocols/rdp/credssp/credssp.ts'
import { nextMessage } from '../../protocols/rdp/framing.ts'
import { connectionRequest, FAILURES, readConfirmation, SECURITY } from '../../protocols/rdp/negotiation.ts'
import type { Account } from '../../protocols/rdp/sign-on.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { ConnectionTarget } from '../../targets/connection-target.ts'
import type { ConnectOptions, Connector } from '../connector.ts'
import { screenRefusal } from '../desktop-refusals.ts'
import { connectToServer, type ServerConnection, signInFailure, whileConnected } from '../server-connection.ts'
import { refusalWords } from './end-words.ts'
import { enter } from './enter.ts'
import { rdpTarget } from './rdp-target.ts'

export const rdpConnector: Connector<'desktop'> = { protocol: 'rdp', kind: 'desktop', open }

/** Size where the page names none. */
const SIZE = { width: 1280, height: 800 }

/**
 * A server of RDP, inside TLS with a pinned key, signed in to with the stored secret: proven by NLA
 * where the server has it, else handed to it. The secret never leaves the gateway otherwise. Throws
 * SshError and SessionRefusal.
 */
async function open(kernel: Kernel, options: ConnectOptions<'desktop'>): Promise<DesktopTarget> {
  const { target, host, end } = options
  const hop = target.gateways.length ? 1 : 0
  let selected: number = SECURITY.none
  let server: ServerConnection | undefined
  try {
    const account = accountOf(target)
    server = await connectToServer(kernel, options, async (stream) => {
      selected = await agree(stream, target)
      return true
    })
    const { stream } = server
    const entered = await whileConnected(stream, options, async () => {
      if (selected & SECURITY.nla) await proveAccount(stream, { account, host, spki: keyOf(stream) })
      const size = end.size ?? SIZE
      const isAdmin = target.rdp?.isAdmin === true
      return enter(stream, { account, size, selected, isAdmin, hasDrive: end.takesFiles, shell: target.shell })
    })
    const { name, rdp: { isUnix = false } = {} } = target
    return rdpTarget({ server, entered, picture: pictureOf(entered.demand), name, isUnix, log: kernel.app.log })
  } catch (error) {
    server?.close()
    if (error instanceof AccountRefused) throw accountRefusal(error, hop)
    throw signInFailure(error, options)
  }
}

function accountRefusal({ status }: AccountRefused, hop: number): SshError | SessionRefusal {
  const words = refusalWords(status)
  if (words) return new SessionRefusal(words)
  return new SshError('authentication', hop, `The account is refused${status ? ` (0x${status.toString(16)})` : ''}`)
}

/** The platform of the target, or else the server's offers, the better first. */
async function agree(stream: Duplex, { rdp }: ConnectionTarget): Promise<number> {
  if (rdp?.security === 'rdp') throw new SessionRefusal(ONLY_TLS)
  const wanted =
    rdp?.security === 'tls' ? SECURITY.tls : rdp?.security === 'nla' ? SECURITY.nla : SECURITY.tls | SECURITY.nla
  stream.write(connectionRequest(wanted))
  const answer = readConfirmation(await nextMessage(stream))
  if ('failure' in answer) {
    const { failure } = answer
    if (failure === FAILURES.nlaRequired)
      throw new SessionRefusal('This server wants network level authentication, which its platform here excludes')
    throw new SessionRefusal(ONLY_TLS)
  }
  if (!(answer.selected & wanted)) throw new SessionRefusal(ONLY_TLS)
  return answer.selected
}

const ONLY_TLS = 'Remote desktops are connected to by TLS or network level authentication; this server offers neither'

/**
 * `DOMAIN\
 * ame` is both; else the domain is the system user's, unless it is behind the name.
 */
function accountOf({ credentials, systemUser }: ConnectionTarget): Account {
  const { username, password } = credentials
  if (username.length > 255 || password.length > 511) throw new ProtocolViolation('a secret too long')
  const [, domain, name] = /^([^\\]+)\\(.+)$/.exec(username) ?? []
  if (domain && name) return { domain, username: name, password }
  return { domain: username.includes('@') ? '' : systemUser.ad_domain, username, password }
}

function keyOf(stream: Duplex): Buffer {
  if (!(stream instanceof TLSSocket)) throw new ProtocolViolation('a proof outside of TLS')
  return new X509Certificate(stream.getPeerCertificate().raw).publicKey.export({ type: 'spki', format: 'der' })
}

function pictureOf({ width, height }: { width: number; height: number }): Picture {
  try {
    return new Picture(width, height)
  } catch {
    throw screenRefusal({ width, height })
  }
}
