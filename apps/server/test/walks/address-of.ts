import { randomUUID } from 'node:crypto'

/** An address of the route: parameters are ids of nothing. */
export const addressOf = (url: string): string => url.replaceAll(/:\w+/g, () => randomUUID()).replace('*', 'x')
