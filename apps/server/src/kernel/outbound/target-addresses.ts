import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { matcherOf } from '../access/source-network.ts'
import { ClosedAddress, ipv4Within, isClosed, isLoopback } from './closed-addresses.ts'
import { judgeOutbound, judgeWritten } from './judged-lookup.ts'

/**
 * Where targets may be. Administrators of organizations enter these addresses, so some lead nowhere:
 * those closed to every call, those that the operator closes (SALLYPORT_CLOSED_TARGETS), and on this
 * machine the ports of Sallyport itself and of its database. The rest of this machine is open: small
 * installations manage the host that they run on.
 */
export class TargetAddresses {
  readonly #isClosedHere: (address: string) => boolean
  readonly #ownPorts = new Set<number>()

  constructor(closedTargets: readonly string[] = []) {
    this.#isClosedHere = matcherOf(closedTargets)
  }

  /** A port of this machine that is no target's. */
  keep(port: number): void {
    this.#ownPorts.add(port)
  }

  /** Nothing of Sallyport is there any more. */
  letGo(port: number): void {
    this.#ownPorts.delete(port)
  }

  /** Likewise one of another server, where that is on this machine. */
  async keepIfHere(host: string, port: number): Promise<void> {
    const addresses = await lookup(host, { all: true }).catch(() => [])
    if (addresses.some(({ address }) => isThisMachine(address))) this.keep(port)
  }

  /** Why no connection is made to an address from here; undefined: it may be. */
  judge(address: string, port: number): ClosedAddress | undefined {
    const meant = ipv4Within(address)
    const isRefused =
      isClosed(address) || this.#isClosedHere(meant) || (this.#ownPorts.has(port) && isThisMachine(meant))
    return isRefused ? new ClosedAddress(address) : undefined
  }
}

/**
 * The reason not to ask a gateway of another network for a host: addresses that are closed
 * everywhere are closed there. This server does not know the other addresses of that network.
 */
export const judgeBeyondGateway = (host: string): Error | undefined => judgeWritten(host, judgeOutbound)

const isThisMachine = (address: string) =>
  isLoopback(address) ||
  Object.values(networkInterfaces()).some((some) => some?.some((one) => one.address === ipv4Within(address)))
