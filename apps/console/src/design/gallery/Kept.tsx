import { type ReactNode, useState } from 'react'

interface KeptProps<Value> {
  value: Value
  children: (value: Value, change: (next: Value) => void) => ReactNode
}

/** A state of the gallery that changes: it keeps the value of the control in it. */
export function Kept<Value>({ value, children }: KeptProps<Value>) {
  const [now, setNow] = useState(value)
  return children(now, setNow)
}
