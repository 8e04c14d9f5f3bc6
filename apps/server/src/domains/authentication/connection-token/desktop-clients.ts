import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'

/** Where clients of RDP connect unless an address says otherwise. */
const RDP_PORT = 3389

/**
 * Where clients of RDP are served, `host` being the one by which people know us: the setting RDP
 * address, else the port of this node. Undefined where they are not, or are switched off.
 */
export function rdpAddress(kernel: Kernel, host: string): string | undefined {
  const settings = settingsOf(kernel)
  if (!settings.get('XRDP_ENABLED')) return undefined
  const configured = settings.get('TERMINAL_RDP_ADDR')
  if (configured && configured !== `localhost:${RDP_PORT}`) return configured
  const { rdpPort } = kernel.config
  return rdpPort ? `${host}:${rdpPort}` : undefined
}

/**
 * The ports for clients of desktops, by protocol of the client; one that is off is left out. Every
 * page gets them, and offers no client where there is none.
 */
export function desktopPorts(kernel: Kernel): { rdp?: number; vnc?: number } {
  const address = rdpAddress(kernel, '')
  const { vncPort } = kernel.config
  return {
    ...(address === undefined ? {} : { rdp: Number(/:(\d+)$/.exec(address)?.[1] ?? RDP_PORT) }),
    ...(vncPort ? { vnc: vncPort } : {}),
  }
}
