import type { DesktopSession } from '../../kinds/desktop/desktop-session.ts'
import type { DesktopAudience } from '../../kinds/desktop/streams.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { Viewer, type ViewerInput } from '../../protocols/rfb/viewer.ts'
import type { TerminalRequest } from './role.ts'

/** A browser that shows a desktop. */
export interface DesktopViewer {
  audience: DesktopAudience
  /** Takes input of the viewer in the browser. */
  receive(bytes: Buffer): void
  /** Nothing is shown in it any more. */
  leave(): void
}

/** Shows a session in a browser; without `input`, the person there only looks on. */
export function viewDesktop(
  { line, say }: Pick<TerminalRequest, 'line' | 'say'>,
  live: DesktopSession,
  input?: ViewerInput,
): DesktopViewer {
  line.showsWords = false
  const { name, isLocked, pasteKeys } = live
  line.send('DESKTOP_START', { name, locked: isLocked, ...(input && pasteKeys ? { paste_keys: pasteKeys } : {}) })
  const viewer: Viewer = new Viewer({
    picture: live.picture,
    name: live.name,
    ...(input ? { input } : {}),
    canResize: () => input !== undefined && live.canResize,
    write: (bytes) => line.show(bytes),
    hasRoom: () => line.hasRoom(() => viewer.changed()),
  })
  line.gone.addEventListener('abort', () => viewer.close())
  return {
    audience: {
      changed: () => viewer.changed(),
      tell: ({ code, text, values, urgency }) =>
        line.send('DESKTOP_NOTICE', { code, text: say(text, { ...values }), urgency }),
      close() {
        viewer.close()
        line.finish()
      },
    },
    receive(bytes) {
      try {
        viewer.receive(bytes)
      } catch (error) {
        if (!(error instanceof ProtocolViolation)) throw error
        line.socket.terminate()
      }
    },
    leave: () => viewer.close(),
  }
}
