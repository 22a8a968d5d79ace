#!/usr/bin/env bash
# Makes loss.pcap: downloads and uploads between two network namespaces, of whose
# packets one in fifty is thrown away in each direction, captured beside the
# server. Needs root, iproute2, iptables, nginx, curl and dumpcap.
set -euo pipefail
out=$(realpath "${1:-loss.pcap}")
dir=$(mktemp -d)
client=rtloss-c server=rtloss-s
trap 'kill $(jobs -p) 2>/dev/null || true; ip netns del $client; ip netns del $server; rm -rf "$dir"' EXIT
ip netns add $client
ip netns add $server
ip link add veth0 netns $client type veth peer name veth0 netns $server
ip -n $client addr add 10.9.0.1/24 dev veth0
ip -n $server addr add 10.9.0.2/24 dev veth0
for n in $client $server; do
	ip -n $n link set lo up
	ip -n $n link set veth0 up
	ip -n $n link set veth0 gso_max_segs 1 # packets as on a wire, no giants
	# Drops where packets come in, so that the capture sees those that are lost on
	# their way out, and those that come in too.
	ip netns exec $n iptables -A INPUT -i veth0 -m statistic --mode random --probability 0.02 -j DROP
done
head -c 120000 /dev/zero | tr '\0' x >"$dir/big"
echo hello >"$dir/small"
cat >"$dir/nginx.conf" <<END
daemon off; pid $dir/pid; error_log $dir/error;
events {}
http { access_log off; client_body_temp_path $dir/body; proxy_temp_path $dir/p; fastcgi_temp_path $dir/f; uwsgi_temp_path $dir/u; scgi_temp_path $dir/s;
  server { listen 10.9.0.2:80; root $dir; location /put { return 204; } } }
END
chmod 755 "$dir"
ip netns exec $server nginx -c "$dir/nginx.conf" -e "$dir/error" -g 'user root;' &
ip netns exec $server dumpcap -q -P -s 96 -i veth0 -f 'tcp port 80' -w "$dir/out.pcap" 2>/dev/null &
dump=$!
sleep 1
for _ in 1 2 3; do
	ip netns exec $client curl -s -o /dev/null -o /dev/null -o /dev/null http://10.9.0.2/big http://10.9.0.2/small http://10.9.0.2/big || true
	ip netns exec $client curl -s -o /dev/null --data-binary "@$dir/big" http://10.9.0.2/put || true
done
sleep 0.5
kill -INT $dump
wait $dump || true
install -m 644 "$dir/out.pcap" "$out"
