import { Agent, type ClientRequestArgs } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Kernel } from '../../../kernel/kernel.ts'
import { connectToServer, type NamedTls, type ServerAddress } from '../server-connection.ts'

/** Connections to a cluster at the same time: each watch and each program in a container has one. */
const MAX_CONNECTIONS = 400
/** Connections that wait for their next request. */
const MAX_IDLE = 8
/** Before most load balancers would cut it. */
const IDLE_MS = 45_000

type OnCreated = (error: Error | null, stream: Duplex) => void

/**
 * Connections to the API of one cluster, whatever a request says: through the gateways of its
 * network, encrypted, and with its identity checked before anything is sent.
 */
export class ClusterAgent extends Agent {
  readonly #kernel: Kernel
  readonly #address: ServerAddress
  readonly #named: NamedTls

  constructor(kernel: Kernel, address: ServerAddress, named: NamedTls) {
    super({ keepAlive: true, maxSockets: MAX_CONNECTIONS, maxFreeSockets: MAX_IDLE, timeout: IDLE_MS })
    this.#kernel = kernel
    this.#address = address
    this.#named = named
  }

  override createConnection(_options: ClientRequestArgs, onCreated?: OnCreated): undefined {
    connectToServer(this.#kernel, this.#address, async () => true, this.#named).then(
      ({ stream }) => onCreated?.(null, stream),
      (error: Error) => onCreated?.(error, undefined as unknown as Duplex),
    )
    return undefined
  }
}
