import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react'

const NameDialog = lazy(() => import('./NameDialog.tsx').then((module) => ({ default: module.NameDialog })))
const PreviewDialog = lazy(() => import('./PreviewDialog.tsx').then((module) => ({ default: module.PreviewDialog })))
const DetailsDialog = lazy(() => import('./DetailsDialog.tsx').then((module) => ({ default: module.DetailsDialog })))

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
  const show = (content: ReactNode) => setDialog(<Suspense fallback={null}>{content}</Suspense>)
  return {
    dialog,
    /** @param size bytes */
    preview: (path: string, size: number) => show(<PreviewDialog path={path} size={size} onClose={close} />),
    details: (path: string) => show(<DetailsDialog path={path} onClose={close} />),
    askName: (title: string, initial: string, onName: (name: string) => Promise<void>) =>
      show(<NameDialog title={title} initial={initial} onClose={close} onName={onName} />),
  }
}
