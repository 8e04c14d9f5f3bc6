import { useEffect, useRef, useState } from 'react'
import type { Side } from '../tip.ts'
import { placeAt, raise } from './Popup.tsx'
import styles from './Tooltip.module.css'

/** Milliseconds that the pointer rests before words appear; with the keyboard they do at once. */
const DELAY = 400
/** Milliseconds that they stay when it has left. */
const GRACE = 100

interface Shown {
  element: HTMLElement
  words: string
}

/** Where the words of `tip` are drawn: one box for the whole page; render it once. */
export function Tooltips() {
  const [shown, setShown] = useState<Shown>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const show = (element: HTMLElement | null) => {
      clearTimeout(timer)
      setShown(element ? { element, words: element.dataset.tip ?? '' } : undefined)
    }
    const over = ({ target, pointerType }: PointerEvent) => {
      // A finger has no place where it would rest: it shows them by the focus.
      if (pointerType === 'touch') return
      clearTimeout(timer)
      if (target instanceof Element && target.closest('[role=tooltip]')) return
      const element = tipped(target)
      // The way from the element to its words is short, but not nothing.
      timer = element ? setTimeout(() => show(element), DELAY) : setTimeout(() => show(null), GRACE)
    }
    const focus = ({ target }: FocusEvent) => {
      const isMeant = target instanceof Element && (target.matches(':focus-visible') || isTouched())
      show(isMeant ? tipped(target) : null)
    }
    const hide = () => show(null)
    const key = ({ key: pressed }: KeyboardEvent) => pressed === 'Escape' && hide()
    document.addEventListener('pointerover', over)
    document.addEventListener('focusin', focus)
    document.addEventListener('focusout', hide)
    document.addEventListener('pointerdown', hide)
    document.addEventListener('keydown', key)
    document.addEventListener('scroll', hide, true)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('pointerover', over)
      document.removeEventListener('focusin', focus)
      document.removeEventListener('focusout', hide)
      document.removeEventListener('pointerdown', hide)
      document.removeEventListener('keydown', key)
      document.removeEventListener('scroll', hide, true)
    }
  }, [])
  return shown && <Words key={shown.words} {...shown} />
}

const isTouched = () => matchMedia('(pointer: coarse)').matches

const tipped = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null

function Words({ element, words }: Shown) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!box.current) return
    raise(box.current)
    placeAt(box.current, element.getBoundingClientRect(), (element.dataset.tipSide as Side | undefined) ?? 'below')
  }, [element])
  return (
    <div ref={box} className={styles.words} role="tooltip">
      {words}
    </div>
  )
}
