-- Where stored secrets may be sent for an asset: protocol with port, address, network and the gateway on the way. An asset that is moved asks again.

-- All destinations that an asset with these values has: one for each protocol. Protocols whose machines prove nothing by a host key have one for
-- each active gateway of the network, since whoever has the gateway reads along.
CREATE FUNCTION assets_destinations(protocols text[], address text, domain uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    jsonb_agg(jsonb_build_object('protocol', p, 'address', $2, 'domain', $3, 'gateway', g.ip || ':' || g.port) ORDER BY p, g.ip, g.port), '[]')
  FROM unnest($1) p
  LEFT JOIN assets_gateway g ON p NOT LIKE 'ssh/%' AND g.domain = $3 AND g.is_active AND g.protocol = 'ssh'
$$;

ALTER TABLE assets_asset ADD COLUMN confirmed_destinations jsonb NOT NULL DEFAULT '[]';
UPDATE assets_asset SET confirmed_destinations = assets_destinations(protocols, ip, domain);

-- A new asset is where whoever makes it says, however it is made.
CREATE FUNCTION assets_confirm_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.confirmed_destinations := assets_destinations(NEW.protocols, NEW.ip, NEW.domain);
  RETURN NEW;
END $$;
CREATE TRIGGER assets_confirm_new BEFORE INSERT ON assets_asset FOR EACH ROW EXECUTE FUNCTION assets_confirm_new();

-- Shown where nobody had confirmed the asset or gateway to be: system administrators alone accept such a key.
ALTER TABLE assets_host_key ADD COLUMN is_moved boolean NOT NULL DEFAULT false;

-- A gateway's secrets are for where it was when they were written: they do not go along to another address.
CREATE FUNCTION assets_gateway_drop_secrets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.password_sealed IS NOT DISTINCT FROM OLD.password_sealed THEN
    NEW.password_sealed := NULL;
  END IF;
  IF NEW.private_key_sealed IS NOT DISTINCT FROM OLD.private_key_sealed THEN
    NEW.private_key_sealed := NULL;
    NEW.public_key := '';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER assets_gateway_drop_secrets BEFORE UPDATE ON assets_gateway FOR EACH ROW
  WHEN ((NEW.ip, NEW.port, NEW.protocol) IS DISTINCT FROM (OLD.ip, OLD.port, OLD.protocol))
  EXECUTE FUNCTION assets_gateway_drop_secrets();
