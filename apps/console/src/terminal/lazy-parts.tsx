import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react'
import { Button } from '../design/Button.tsx'
import { showError } from '../design/dialogs/feedback.tsx'
import { type Loadable, loadable } from '../design/lazily.tsx'
import { t } from '../lib/i18n.ts'

/**
 * Parts whose code comes when they are first wanted, which may be while the connection is lost. A
 * part that fails must not take the terminals beside it along, as whatever React's `lazy` throws
 * would.
 */

type Load<P> = () => Promise<ComponentType<P>>
type Code = 'coming' | 'there' | 'failed'

const failedText = () => t('This could not be loaded. Try again; if it fails again, load the page again.')

/** How far the code of a part has come, and a way to ask for it again. */
function useCode(preload: () => Promise<unknown>) {
  const [code, setCode] = useState<Code>('coming')
  const fetchCode = useCallback(() => {
    let isGone = false
    setCode('coming')
    const tell = (state: Code) => () => {
      if (!isGone) setCode(state)
    }
    preload().then(tell('there'), tell('failed'))
    return () => {
      isGone = true
    }
  }, [preload])
  useEffect(fetchCode, [fetchCode])
  return { code, fetchCode }
}

interface PartProps<P> {
  part: Loadable<P>
  of: P
}

function DialogPart<P extends { onClose: () => void }>({ part: { component: Dialog, preload }, of }: PartProps<P>) {
  const { code } = useCode(preload)
  const close = useRef(of.onClose)
  close.current = of.onClose
  useEffect(() => {
    if (code !== 'failed') return
    showError(failedText())
    close.current()
  }, [code])
  return code === 'there' && <Dialog {...of} />
}

interface Shown {
  active: boolean
  /** Beside others, it may be seen without being active. */
  isShown?: boolean
}

function PanePart<P extends Shown>({ part: { component: Pane, preload }, of }: PartProps<P>) {
  const { code, fetchCode } = useCode(preload)
  if (code === 'there') return <Pane {...of} />
  if (!(of.isShown ?? of.active)) return null
  if (code === 'coming') return <p className="wt-welcome">{t('Loading')}</p>
  return (
    <div className="wt-welcome" role="alert">
      <p>{failedText()}</p>
      <Button onClick={fetchCode}>{t('Try again')}</Button>
    </div>
  )
}

/** A dialog. Where its code does not come that is said, and the dialog closes. */
export function lazyDialog<P extends { onClose: () => void }>(load: Load<P>): ComponentType<P> {
  const part = loadable(load)
  return (props) => <DialogPart part={part} of={props} />
}

/** Content of a tab. Where its code fails to load, a message with a button takes its place. */
export function lazyPane<P extends Shown>(load: Load<P>): ComponentType<P> {
  const part = loadable(load)
  return (props) => <PanePart part={part} of={props} />
}
