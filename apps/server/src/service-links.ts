/** `<NAME>_SERVICE_HOST`, `…_SERVICE_PORT[_<PORT>]`, `…_PORT_<NUMBER>_<PROTOCOL>[_PROTO|_PORT|_ADDR]`. */
const LINK_NAME =
  /^SALLYPORT_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/
/** `<NAME>_PORT`, which settings are called as well: what it holds tells them apart. */
const PORT_NAME = /^SALLYPORT_(?:\w+_)?PORT$/
const LINK_ADDRESS = /^(?:tcp|udp|sctp):\/\//

/**
 * The environment without what Kubernetes writes into it for each service of the namespace ("service
 * links"): of services called `sallyport`, `sallyport-ssh` and so on, these look like our settings.
 */
export function withoutServiceLinks(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value = '']) => !LINK_NAME.test(name) && !(PORT_NAME.test(name) && LINK_ADDRESS.test(value)),
    ),
  )
}
