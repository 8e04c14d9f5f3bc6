import { Dialog as Base } from '@base-ui/react/dialog'
import { XIcon } from 'lucide-react'
import { type PointerEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { Button } from '../Button.tsx'
import { rememberFocus } from '../focus.ts'
import { namesOf } from '../names.ts'
import { popupPlace } from '../popups/popup-place.ts'
import styles from './Dialog.module.css'
import { DialogGuard } from './dialog-guard.ts'

export interface DialogProps {
  title: ReactNode
  children?: ReactNode
  /** Buttons under what scrolls; the one that goes on is the last. */
  foot?: ReactNode
  /** Beside the title. */
  tools?: ReactNode
  /** Pixels or a CSS length, as far as the screen has that much. */
  width?: number | string
  /**
   * Escape and the cross call it, and a press beside the dialog where nothing in it can be filled
   * in. Without it only the dialog's own buttons close it.
   */
  onClose?: (() => void) | undefined
  /** Body and foot are a form: Enter and its submit button call this. */
  onSubmit?: (() => void) | undefined
  /** Why what was wanted has failed. */
  error?: ReactNode
  /**
   * It waits for an answer: read out with its text, and no press beside it closes it. An `alert` is
   * one about what cannot be undone.
   */
  asks?: 'question' | 'alert'
  /** At the end of the screen, as high as that, instead of in the middle. */
  atSide?: boolean
  className?: string | undefined
}

/** Those that are open, the upper ones last: Escape is meant for the uppermost alone. */
const layers: object[] = []

/**
 * A dialog: draw it while it is open. The focus goes to its first field, or to itself; as it goes,
 * back to what had it, or near that where it is gone. Its body scrolls between title and foot.
 */
export function Dialog(props: DialogProps) {
  const { title, children, foot, tools, width = 520, onClose, onSubmit, error, asks, atSide, className } = props
  // While it is first drawn: by the time effects run, something in it has the focus.
  const [returnFocus] = useState(rememberFocus)
  const [place] = useState(popupPlace)
  const [layer] = useState(() => ({}))
  const box = useRef<HTMLDivElement>(null)
  const guard = useRef<() => void>(undefined)
  const pressed = useRef<EventTarget>(null)
  useLayoutEffect(() => {
    layers.push(layer)
    return () => void layers.splice(layers.indexOf(layer), 1)
  }, [layer])
  useEffect(() => returnFocus, [returnFocus])
  const close = onClose && (() => (guard.current ?? onClose)())

  const change: Base.Root.Props['onOpenChange'] = (isOpen, { reason, event, cancel }) => {
    const isOurs = reason === 'escape-key' && layers.at(-1) === layer && !event.defaultPrevented
    if (!isOpen && isOurs && close) close()
    else cancel()
  }
  const pressBeside = ({ target, currentTarget }: PointerEvent) => {
    // A text that is marked with the pointer may end beside it.
    if (target === currentTarget && pressed.current === target && !asks && !fieldIn(box.current)) close?.()
  }
  const inside = (
    <>
      <div className={styles.body}>
        {asks ? <Base.Description render={<div />}>{children}</Base.Description> : children}
      </div>
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      {foot && <div className={styles.foot}>{foot}</div>}
    </>
  )
  return (
    <Base.Root open onOpenChange={change} disablePointerDismissal>
      <Base.Portal container={place}>
        <Base.Backdrop className={styles.backdrop} forceRender />
        <Base.Viewport
          className={namesOf([styles.viewport, atSide && styles.atSide])}
          onPointerDown={({ target }) => (pressed.current = target)}
          onPointerUp={pressBeside}
        >
          <Base.Popup
            ref={box}
            className={namesOf([styles.dialog, className])}
            style={{ width }}
            role={asks === 'alert' ? 'alertdialog' : 'dialog'}
            aria-modal="true"
            initialFocus={() => firstPlace(box.current)}
            finalFocus={false}
          >
            <header className={styles.head}>
              <Base.Title className={styles.title}>{title}</Base.Title>
              {tools}
              {close && !asks && (
                <Button
                  type="text"
                  size="small"
                  icon={<XIcon />}
                  aria-label={t('Close')}
                  title={t('Close')}
                  onClick={close}
                />
              )}
            </header>
            <DialogGuard value={guard}>
              {onSubmit ? (
                <form
                  className={styles.inside}
                  noValidate
                  onSubmit={(event) => {
                    event.preventDefault()
                    // A dialog's form may be drawn within another one, as far as React knows.
                    event.stopPropagation()
                    onSubmit()
                  }}
                >
                  {inside}
                </form>
              ) : (
                inside
              )}
            </DialogGuard>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

const FIELD =
  'input:enabled:not([type=hidden], [type=file], [hidden]), textarea:enabled, select:enabled, [contenteditable=true], [role=combobox]'

/** The first thing to be filled in; nothing where something is only to be read. */
const fieldIn = (box: HTMLElement | null) => box?.querySelector<HTMLElement>(FIELD)

/** What gets the focus: nothing where it is inside already, as by `autoFocus`. */
function firstPlace(box: HTMLElement | null): HTMLElement | false {
  if (!box || box.contains(document.activeElement)) return false
  // A finger would call the keyboard over what is to be read first.
  const isTouched = matchMedia('(pointer: coarse)').matches
  return (!isTouched && fieldIn(box)) || box
}
