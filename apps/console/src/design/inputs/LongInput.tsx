import { type Ref, type TextareaHTMLAttributes, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import { namesOf } from '../names.ts'
import styles from './Input.module.css'

export interface LongInputProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange'> {
  onChange?: ((text: string) => void) | undefined
  /** In letters of one width. */
  isCode?: boolean
  ref?: Ref<HTMLTextAreaElement> | undefined
}

/** Several lines; the box grows with what is typed, up to a third of the window. */
export function LongInput({ onChange, isCode, className, ref, ...props }: LongInputProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  useImperativeHandle(ref, () => area.current as HTMLTextAreaElement)
  // biome-ignore lint/correctness/useExhaustiveDependencies: as high as the text, which is its value
  useLayoutEffect(() => {
    if (!area.current) return
    area.current.style.height = ''
    if (area.current.scrollHeight > area.current.clientHeight)
      area.current.style.height = `${Math.min(area.current.scrollHeight + 2, window.innerHeight / 3)}px`
  }, [props.value])
  return (
    <textarea
      {...props}
      ref={area}
      className={namesOf([styles.field, isCode && styles.code, className])}
      onChange={onChange && (({ target }) => onChange(target.value))}
    />
  )
}
