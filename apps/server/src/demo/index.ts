import type { Gateway } from '../gateway/gateway.ts'
import { inBackground } from '../kernel/background.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { workByAgent } from './agent.ts'
import { workLive } from './live.ts'
import { lastGatewayPort, reachableMachines } from './machines.ts'
import { openDemoNetwork } from './network.ts'
import { recordPast } from './recordings.ts'
import { administratorsContext, seedCompany } from './seed.ts'
import { AT_WORK, WAITING } from './work.ts'

export interface Demo {
  /**
   * Once the server listens: records the past and puts people to work. Settles when the recordings
   * are there.
   */
  begin(): Promise<void>
  close(): Promise<void>
}

/**
 * A company to look at (`npm start -- --demo`): its rows, machines that answer inside this process,
 * and, on a node that carries sessions, people who work on them.
 */
export async function openDemo(kernel: Kernel, gateway: Gateway | undefined): Promise<Demo> {
  const home = await administratorsContext(kernel)
  const port = (await lastGatewayPort(home)) ?? 0
  const network = await openDemoNetwork(kernel.config.dataDirectory, port, reachableMachines())
  const company = await seedCompany(home, network.port)
  const stopped = new AbortController()
  const running = new Set<Promise<void>>()
  /** Faults of the demo are logged, and end nothing. */
  const run = (work: Promise<void>): Promise<void> => {
    const done = work.catch((error) => kernel.app.log.error({ err: error }, 'a part of the demo failed'))
    running.add(done)
    return done
  }
  return {
    begin() {
      if (gateway)
        for (const one of [...AT_WORK, WAITING])
          inBackground(run(workLive(kernel, gateway, company, one, stopped.signal)))
      // Once, as the past.
      if (gateway && company.past.length) inBackground(run(workByAgent(home, company)))
      return run(recordPast(kernel, company.past, stopped.signal))
    },
    async close() {
      stopped.abort()
      await Promise.all(running)
      network.close()
    },
  }
}
