import { type RefObject, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { notice } from '../pane/notice.ts'
import type { Screen } from '../screen/screen.ts'
import { type FileTransfer, followTransfer, type TransferView } from '../zmodem/file-transfer.ts'

/** The file transfer that runs in a terminal, if one does. */
export function useFileTransfer(screen: RefObject<Screen | null>) {
  const current = useRef<FileTransfer>(undefined)
  const [view, setView] = useState<TransferView>()
  return {
    current,
    view,
    /** @param send takes packets to the machine */
    begin: (send: (bytes: Uint8Array) => void) => {
      current.current = followTransfer({
        send,
        onView: setView,
        onNotTaken: (name) =>
          screen.current?.write(notice(t('The machine did not take {{name}}: it has a file of this name.', { name }))),
        onWords: (bytes) => screen.current?.write(bytes),
      })
    },
    end: (how: (one: FileTransfer) => void) => {
      if (current.current) how(current.current)
      current.current = undefined
      screen.current?.focus()
    },
  }
}

export type RunningTransfer = ReturnType<typeof useFileTransfer>
