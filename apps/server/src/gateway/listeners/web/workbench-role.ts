import { OwnKeyBrowser } from './own-key-browser.ts'
import { OwnWorkbench } from './own-workbench.ts'
import type { Role, TerminalRequest } from './role.ts'

/** A workbench of one's own: on statements, or on keys. */
export const ownWorkbench = (request: TerminalRequest): Role =>
  request.query.type === 'redis' ? new OwnKeyBrowser(request) : new OwnWorkbench(request)
