import { sshFailureText } from '../../domains/assets/networks/index.ts'
import { mayConnect } from '../../domains/perms/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { hasSecret } from '../../kernel/secrets/login.ts'
import { SshError } from '../../kernel/ssh/connect.ts'
import type { MachineConnections, SshLogin } from '../machines/machine-connections.ts'
import { loadTarget } from '../session/load-target.ts'
import { notPermitted } from '../session/not-permitted.ts'
import type { Person } from '../session/person.ts'
import { askFor } from '../session/questions-of-person.ts'
import { SessionRefusal } from '../session/refusal.ts'
import { refuseUnreviewed } from '../session/target-review.ts'
import { assetTarget } from '../targets/asset-family.ts'
import { type ConnectionTarget, withCertificate } from '../targets/connection-target.ts'
import { AssetFiles, type PathView } from './asset-files.ts'
import { Enclosure } from './enclosure.ts'
import { fileActor, logOperation, operationsStored } from './file-log.ts'
import { FileRights } from './file-rights.ts'
import { openSftp, type SftpClient } from './sftp/sftp-client.ts'

export interface FilesQuestion {
  person: Person
  assetId: string
  systemUserId: string
  view: PathView
  showHidden: boolean
  /**
   * Many files one after the other: an answer about rights holds for two seconds, and rows reach the
   * database in batches. Otherwise each call asks, and is in the FTP log when it is answered.
   */
  inBulk?: boolean | undefined
  /** Machines where the same connection of the person is logged in. */
  machines?: MachineConnections | undefined
  /** Cancels; its reason is thrown. */
  signal: AbortSignal
}

/**
 * Connects to the files of an asset. Throws SessionRefusal with a sentence for the person: no
 * permission, a system user without a stored password, a machine that does not answer, a changed
 * host key.
 */
export async function openAssetFiles(kernel: Kernel, question: FilesQuestion): Promise<AssetFiles> {
  const { person, assetId, systemUserId, view, showHidden, inBulk = false, machines, signal } = question
  const asset = assetTarget(assetId)
  const ask = () => mayConnect(kernel.db, { userId: person.id, target: asset, systemUserId })
  const open = kernel.secrets.open('session', `asset ${assetId} for ${person.id}`)
  const asked = { systemUserId, userId: person.id, username: person.username }
  const target = await askFor(person, async () => {
    if (!(await ask()).allowed) throw await notPermitted(kernel, { person, target: asset, systemUserId })
    return loadTarget(kernel, asset, asked, open)
  })
  const { credentials, systemUser } = target
  const port = sshPortOf(target)
  if (systemUser.protocol !== 'ssh' || port === undefined)
    throw new SessionRefusal('This kind of connection is not supported')
  if (systemUser.su_enabled)
    throw new SessionRefusal('This system user is reached by switching from another: it has no file access')
  if (!credentials.username || !hasSecret(credentials)) {
    throw new SessionRefusal('This system user asks for its password each time: enter it in the console first')
  }
  await refuseUnreviewed(kernel, person, target)
  const certified = withCertificate(target, { person: person.username, purpose: 'files' })
  const client = await connect(kernel, { target: certified, host: target.address, port, signal }, machines)
  try {
    const actor = fileActor(person, target)
    const stored = () => operationsStored(kernel)
    return new AssetFiles({
      client,
      rights: new FileRights(ask, { inBulk }),
      view,
      showHidden,
      ...(await placesOf(client, systemUser.sftp_root, view)),
      log: inBulk
        ? (operation) => logOperation(kernel, actor, operation)
        : async (operation) => {
            const entry = await logOperation(kernel, actor, operation)
            return { ...entry, end: (isSuccess) => entry.end(isSuccess).then(stored) }
          },
      logged: stored,
    })
  } catch (error) {
    client.close()
    throw error
  }
}

function sshPortOf({ protocols }: ConnectionTarget): number | undefined {
  const port = Number(protocols.find((entry) => entry.startsWith('ssh/'))?.slice('ssh/'.length))
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

async function connect(kernel: Kernel, login: SshLogin, machines: MachineConnections | undefined): Promise<SftpClient> {
  const { target } = login
  try {
    return await openSftp(kernel, login, machines)
  } catch (error) {
    if (!(error instanceof SshError)) throw error
    kernel.app.log.info({ asset: target.target.id, err: error }, 'files could not be reached')
    const atGateway = target.gateways.length > 0 && error.hop === 0 && error.failure !== 'host_key_changed'
    throw new SessionRefusal(
      atGateway ? 'None of the gateways of this network could be reached' : sshFailureText(error),
    )
  }
}

/**
 * The folder where a person starts, and the one that encloses them (docs/rules/gateway.md#sftp). In
 * the `machine` view they are enclosed only if an administrator set a path: home, and `tmp` as the
 * default of system users, are just where they start.
 */
async function placesOf(
  client: SftpClient,
  sftpRoot: string,
  view: PathView,
): Promise<{ home: string; enclosure: Enclosure }> {
  const named = sftpRoot === 'tmp' ? '/tmp' : sftpRoot
  const isPath = named.startsWith('/')
  try {
    const home = await client.realpath(isPath ? named : '.')
    await client.stat(home)
    const encloses = view === 'folder' || (isPath && sftpRoot !== 'tmp')
    return { home, enclosure: new Enclosure(client, encloses ? home : '/') }
  } catch {
    throw new SessionRefusal('The folder {{folder}} of this system user cannot be opened on the machine', {
      folder: isPath ? named : '~',
    })
  }
}
