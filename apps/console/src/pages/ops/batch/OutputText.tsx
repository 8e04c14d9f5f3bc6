import { useLayoutEffect, useRef } from 'react'
import { plainOutput } from '../plain-output.ts'
import styles from './batch-command.module.css'
import { linesOf } from './outcome-groups.ts'

/** The view follows new output while it is scrolled to within this many pixels of the end. */
const NEAR_END = 40

interface OutputTextProps {
  text: string
  /** Lines that this does not have are marked. */
  most?: string | undefined
  label: string
  isError?: boolean
  /** More of it comes: it is shown from its end. */
  isLive?: boolean
}

/** Output of a program as plain text; nothing where it wrote nothing. */
export function OutputText({ text, most, label, isError = false, isLive = false }: OutputTextProps) {
  const box = useRef<HTMLPreElement>(null)
  const following = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: new text is what makes the view move
  useLayoutEffect(() => {
    if (isLive && following.current) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [text, isLive])
  if (!text) return null
  return (
    <pre
      ref={box}
      role="log"
      className={isError ? styles.batchErrors : undefined}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: long output is scrolled with the keyboard too
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        following.current = scrollTop + clientHeight > scrollHeight - NEAR_END
      }}
    >
      {most === undefined ? `${plainOutput(text).replace(/\n$/, '')}\n` : <Compared text={text} most={most} />}
    </pre>
  )
}

function Compared({ text, most }: { text: string; most: string }) {
  return linesOf(plainOutput(text), plainOutput(most)).map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
    <span key={at}>
      {line.isOther ? <mark>{line.text}</mark> : line.text}
      {'\n'}
    </span>
  ))
}
