import { OwnClusterBrowser } from './own-cluster-browser.ts'
import { OwnKeyBrowser } from './own-key-browser.ts'
import { OwnWorkbench } from './own-workbench.ts'
import type { Role, TerminalRequest } from './role.ts'

/** A workbench of one's own: on statements, on keys, or on the objects of a cluster. */
export function ownWorkbench(request: TerminalRequest): Role {
  if (request.query.type === 'redis') return new OwnKeyBrowser(request)
  return request.query.type === 'k8s' ? new OwnClusterBrowser(request) : new OwnWorkbench(request)
}
