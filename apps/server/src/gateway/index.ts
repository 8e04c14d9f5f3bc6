import { endSessionsLeftBy } from '../domains/terminal/index.ts'
import { recordingStore } from '../domains/terminal/recording/index.ts'
import { inBackground } from '../kernel/background.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { registerAgents } from './agents/index.ts'
import { weighBuffersWithHeap } from './buffer-memory.ts'
import { registerExplanations } from './explanation/explanation-routes.ts'
import { registerShortAddress } from './explanation/short-address.ts'
import { clearDesktopFiles } from './files/desktop-files.ts'
import { closeFileConnections } from './files/file-connections.ts'
import { closeFileLog, openFileLog } from './files/file-log.ts'
import { type Gateway, openGateway } from './gateway.ts'
import { openProtocolListener } from './listeners/clients/protocol-listener.ts'
import { mysqlProtocol } from './listeners/database/mysql.ts'
import { postgresqlProtocol } from './listeners/database/postgresql.ts'
import { redisProtocol } from './listeners/database/redis.ts'
import { rdpProtocol } from './listeners/desktop/rdp.ts'
import { vncProtocol } from './listeners/desktop/vnc.ts'
import { registerFileManager } from './listeners/file-manager/routes.ts'
import { kubernetesProtocol } from './listeners/kubernetes/kubernetes.ts'
import { openSshListener } from './listeners/ssh/server.ts'
import { registerWebTerminal } from './listeners/web/web-terminal.ts'
import { closeCommands, openCommands } from './recording/session-commands.ts'
import { registerRemoteAppStart } from './remote-apps/start.ts'

export interface RunningGateway {
  sessions: Gateway
  /** Port of plain SSH clients. */
  sshPort: number
  /** Ends all sessions and file transfers, with everything stored. */
  close(): Promise<void>
}

/**
 * Opens the gateway of this node with its listeners. Sessions of a killed process are finished
 * first.
 */
export async function startGateway(kernel: Kernel): Promise<RunningGateway> {
  weighBuffersWithHeap()
  await Promise.all([openFileLog(kernel), openCommands(kernel), clearDesktopFiles(kernel)])
  const gateway = await openGateway(kernel)
  // A store that is away must not hold the start up.
  if (recordingStore(kernel.config).ofThisNode) await gateway.recover()
  else inBackground(gateway.recover())
  const left = await endSessionsLeftBy(kernel.db, gateway.terminalId)
  if (left) kernel.app.log.warn({ left }, 'sessions of a killed process were ended')
  registerWebTerminal(kernel, gateway)
  registerFileManager(kernel)
  registerExplanations(kernel)
  registerShortAddress(kernel)
  registerRemoteAppStart(kernel)
  registerAgents(kernel, gateway)
  const ssh = await openSshListener(kernel, gateway)
  const protocols = [
    postgresqlProtocol,
    mysqlProtocol,
    redisProtocol,
    kubernetesProtocol,
    vncProtocol,
    rdpProtocol,
  ].map((of) => of(kernel.config))
  const listeners = await Promise.all(protocols.map((protocol) => openProtocolListener(kernel, gateway, protocol)))
  return {
    sessions: gateway,
    sshPort: ssh.port,
    async close() {
      ssh.refuse()
      for (const listener of listeners) listener?.refuse()
      await Promise.all([gateway.close(), closeFileConnections(kernel)])
      ssh.close()
      for (const listener of listeners) listener?.close()
      await Promise.all([closeFileLog(kernel), closeCommands(kernel)])
    },
  }
}
