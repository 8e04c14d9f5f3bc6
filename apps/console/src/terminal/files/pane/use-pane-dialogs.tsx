import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { lazyDialog } from '../../lazy-parts.tsx'

const NameDialog = lazyDialog(() => import('./NameDialog.tsx').then((module) => module.NameDialog))
const PreviewDialog = lazyDialog(() => import('./PreviewDialog.tsx').then((module) => module.PreviewDialog))
const DetailsDialog = lazyDialog(() => import('./DetailsDialog.tsx').then((module) => module.DetailsDialog))

/**
 * The dialogs of a pane, one at a time: draw `dialog` somewhere in it.
 * @param box where the list is that gets the focus back
 */
export function usePaneDialogs(box: RefObject<HTMLElement | null>) {
  const [dialog, setDialog] = useState<ReactNode>()
  const isClosing = useRef(false)
  const close = () => {
    isClosing.current = true
    setDialog(undefined)
  }
  // What had the focus went with the dialog: the keyboard goes on where it was.
  useEffect(() => {
    if (dialog === undefined && isClosing.current) box.current?.querySelector<HTMLElement>('[role=listbox]')?.focus()
    isClosing.current = false
  }, [dialog, box])
  return {
    dialog,
    /** @param size bytes */
    preview: (path: string, size: number) => setDialog(<PreviewDialog path={path} size={size} onClose={close} />),
    details: (path: string) => setDialog(<DetailsDialog path={path} onClose={close} />),
    askName: (title: string, initial: string, onName: (name: string) => Promise<void>) =>
      setDialog(<NameDialog title={title} initial={initial} onClose={close} onName={onName} />),
  }
}
