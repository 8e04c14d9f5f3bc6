import { at, type Json, listAt, textAt } from './answers.ts'

/** Addresses of a server of OpenStack, and of clouds that began as one: by network, each with its kind. */
export function addressesOf(server: Json): { addresses: string[]; publicAddress: string } {
  const networks = Object.keys((at(server, 'addresses') as Json | undefined) ?? {})
  const all = networks.flatMap((network) => listAt(server, 'addresses', network))
  const of = (isFloating: boolean) =>
    all
      .filter((one) => (textAt(one, 'OS-EXT-IPS:type') === 'floating') === isFloating)
      .map((one) => textAt(one, 'addr'))
  const outside = of(true)
  return { addresses: [...of(false), ...outside], publicAddress: outside[0] ?? '' }
}
