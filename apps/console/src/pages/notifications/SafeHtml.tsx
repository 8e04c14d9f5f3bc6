import { createElement, Fragment, type ReactNode, useMemo } from 'react'
import styles from './messages.module.css'

/**
 * Elements that a message may be made of; of all others only the text is shown, of these not even
 * that.
 */
const SHOWN = new Set(
  'a b blockquote br code div em h1 h2 h3 h4 hr i li ol p pre s span strong table tbody td th thead tr u ul'.split(' '),
)
const DROPPED = new Set(
  'audio button embed form head iframe img input link math meta noscript object script select style svg template textarea title video'.split(
    ' ',
  ),
)
const EMPTY = new Set(['br', 'hr'])
const MAX_DEPTH = 40

/**
 * HTML that others wrote, as elements of ours: no attribute but the address of a link survives, and
 * no script, style or frame.
 */
export function SafeHtml({ html }: { html: string }) {
  const content = useMemo(() => childrenOf(new DOMParser().parseFromString(html, 'text/html').body, 0), [html])
  return <div className={styles.messageText}>{content}</div>
}

function childrenOf(node: Node, depth: number): ReactNode[] {
  if (depth > MAX_DEPTH) return []
  return [...node.childNodes].map((child, at) => elementOf(child, at, depth))
}

function elementOf(node: Node, key: number, depth: number): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent
  if (!(node instanceof Element)) return null
  const name = node.localName
  if (DROPPED.has(name)) return null
  if (EMPTY.has(name)) return createElement(name, { key })
  const children = childrenOf(node, depth + 1)
  if (name === 'a') {
    const href = safeAddress(node.getAttribute('href'))
    if (!href) return <Fragment key={key}>{children}</Fragment>
    const isOurs = href.startsWith('/')
    return (
      <a key={key} href={href} {...(isOurs ? {} : { target: '_blank', rel: 'noreferrer' })}>
        {children}
      </a>
    )
  }
  return SHOWN.has(name) ? createElement(name, { key }, ...children) : <Fragment key={key}>{children}</Fragment>
}

/** Addresses of this site from its root, and plain web addresses; no scripts, no data. */
export function safeAddress(address: string | null): string | undefined {
  if (!address) return undefined
  try {
    const url = new URL(address, location.origin)
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
    return url.origin === location.origin ? url.pathname + url.search + url.hash : url.href
  } catch {
    return undefined
  }
}

/** The words of a message without its markup, for a line in a list. */
export function plainText(html: string): string {
  const { body } = new DOMParser().parseFromString(
    html.replaceAll('</p>', '</p> ').replaceAll('<br>', ' '),
    'text/html',
  )
  for (const hidden of body.querySelectorAll([...DROPPED].join())) hidden.remove()
  return (body.textContent ?? '').replace(/\s+/g, ' ').trim()
}
