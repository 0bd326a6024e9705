#include "tools/traffic_page.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "proven/base/text.h"
#include "proven/io/file.h"

namespace proven::tools {
namespace {

using Json = nlohmann::json;
using spacetime::Footprint;
using spacetime::Vec2;

double rounded(double v) {
  return std::round(v * 1e4) / 1e4;
}

Json points(const std::vector<Vec2>& list) {
  Json json = Json::array();
  for (const Vec2 p : list) json.push_back({rounded(p.x), rounded(p.y)});
  return json;
}

// Pieces as [[x, y], ...] or {"c": [x, y], "r": radius}.
Json shape(const Footprint& footprint) {
  Json json = Json::array();
  for (const spacetime::Piece& piece : footprint.pieces()) {
    if (piece.is_box() && piece.radius > 0) {
      json.push_back({{"c", {piece.centre.x, piece.centre.y}}, {"r", piece.radius}});
      continue;
    }
    std::vector<Vec2> corners = piece.corners;
    if (piece.is_box())
      for (const auto& [sx, sy] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}})
        corners.push_back(piece.centre + Vec2{sx * piece.half.x, sy * piece.half.y});
    json.push_back(points(corners));
  }
  return json;
}

Json motion(const spacetime::Trajectory& m) {
  Json json = Json::array();
  for (std::size_t i = 0; i < m.t.size(); ++i)
    json.push_back({rounded(m.t[i]), rounded(m.x[i]), rounded(m.y[i]), rounded(m.heading[i])});
  return json;
}

Json obstacle(const spacetime::Obstacle& o) {
  Json json = {{"name", o.name}};
  if (o.is_set()) {
    json["sets"] = Json::array();
    for (const spacetime::Occupancy& part : o.occupancies)
      json["sets"].push_back(
          {{"from", part.t_begin}, {"to", part.t_end}, {"shape", shape(part.region)}});
    return json;
  }
  json["shape"] = shape(o.footprint);
  if (o.moves())
    json["motion"] = motion(o.motion);
  else
    json["pose"] = {o.pose.x, o.pose.y, o.pose.heading};
  return json;
}

Json candidate(const PageCandidate& c, const TrafficPage& page) {
  Json json = {{"name", c.motion.name},
               {"verdict", to_string(c.result.verdict)},
               {"shape", shape(c.motion.footprint)},
               {"motion", motion(c.motion.trajectory)},
               {"self", c.self},
               {"chosen", c.chosen}};
  if (const auto& contact = c.result.contact)
    json["contact"] = {{"t", contact->t},
                       {"pose", {contact->pose.x, contact->pose.y, contact->pose.heading}},
                       {"with", page.obstacles[static_cast<std::size_t>(contact->obstacle)].name}};
  if (const auto& doubt = c.result.doubt)
    json["doubt"] = {
        {"from", doubt->t_begin},
        {"to", doubt->t_end},
        {"with", doubt->obstacle < 0
                     ? "anything"
                     : page.obstacles[static_cast<std::size_t>(doubt->obstacle)].name}};
  return json;
}

constexpr const char* kHead = R"page(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>
:root { --ink:#1b2430; --soft:#66717f; --line:#dfe4ea; --free:#0a8f5b; --collision:#d22f27; --undecided:#c77700; }
* { box-sizing:border-box } html,body { height:100% }
body { margin:0; font:14px/1.45 system-ui,sans-serif; color:var(--ink); background:#f6f8fa; display:flex; flex-direction:column }
header { padding:12px 20px 8px; display:flex; gap:24px; align-items:baseline; flex-wrap:wrap }
h1 { font-size:18px; margin:0; font-weight:650 } header span { color:var(--soft) }
main { flex:1; min-height:0; display:flex; gap:12px; padding:0 20px 12px }
#view { flex:1; min-width:0; background:#fff; border:1px solid var(--line); border-radius:8px; position:relative; overflow:hidden }
canvas { position:absolute; inset:0; width:100%; height:100%; cursor:grab }
aside { width:270px; overflow:auto; background:#fff; border:1px solid var(--line); border-radius:8px; padding:10px 12px }
aside h2 { font-size:12px; font-weight:600; color:var(--soft); margin:4px 0 6px }
.row { display:flex; justify-content:space-between; gap:8px; padding:3px 4px; border-radius:4px; cursor:pointer }
.row:hover { background:#f0f3f6 } .row b { font-weight:600 } .free { color:var(--free) } .collision { color:var(--collision) } .undecided { color:var(--undecided) }
.note { color:var(--soft); font-size:12px; padding:0 4px 4px }
footer { display:flex; gap:14px; align-items:center; padding:0 20px 14px }
footer button { width:72px; height:30px; border:1px solid var(--line); border-radius:6px; background:#fff; font:inherit; cursor:pointer }
footer input { flex:1 } #clock { font-variant-numeric:tabular-nums; width:76px; text-align:right }
.ramp { width:110px; height:10px; border-radius:5px; display:inline-block; vertical-align:middle; margin:0 6px }
</style></head><body>
)page";

constexpr const char* kBody =
    R"page(<main><div id="view"><canvas></canvas></div><aside></aside></main>
<footer><button id="play">Play</button><input id="time" type="range" min="0" max="1000" value="350"><span id="clock"></span></footer>
<script>
const canvas=document.querySelector('canvas'),g=canvas.getContext('2d'),aside=document.querySelector('aside');
const css=n=>getComputedStyle(document.documentElement).getPropertyValue('--'+n).trim();
const colours={free:css('free'),collision:css('collision'),undecided:css('undecided')};
let t0=Infinity,t1=-Infinity,box=[1e9,1e9,-1e9,-1e9];
const grow=(x,y,r=0)=>{box=[Math.min(box[0],x-r),Math.min(box[1],y-r),Math.max(box[2],x+r),Math.max(box[3],y+r)]};
const movers=D.obstacles.filter(o=>o.motion).concat(D.candidates);
for(const o of movers)for(const [t,x,y] of o.motion){t0=Math.min(t0,t);t1=Math.max(t1,t);grow(x,y,5)}
for(const o of D.obstacles)for(const s of o.sets||[]){t0=Math.min(t0,s.from);t1=Math.max(t1,s.to);for(const p of s.shape)if(Array.isArray(p))for(const [x,y] of p)grow(x,y,2)}
if(!movers.length)for(const o of D.obstacles)if(o.pose)for(const p of o.shape)if(Array.isArray(p))for(const [x,y] of p)grow(o.pose[0]+x,o.pose[1]+y,2);
if(!(t1>t0)){t0=0;t1=1}
const mix=(a,b,s)=>a.map((v,i)=>Math.round(v+s*(b[i]-v)));
const ramp=s=>{const c=[[59,76,192],[90,160,200],[150,150,190],[226,145,90]],k=Math.min(2,Math.floor(s*3));return mix(c[k],c[k+1],s*3-k)};
function poseAt(m,t){if(t<m[0][0]-1e-9||t>m[m.length-1][0]+1e-9)return null;let i=0;while(i+2<m.length&&t>m[i+1][0])i++;
 const a=m[i],b=m[i+1],s=Math.max(0,Math.min(1,(t-a[0])/(b[0]-a[0])));return[a[1]+s*(b[1]-a[1]),a[2]+s*(b[2]-a[2]),a[3]+s*(b[3]-a[3])]}
let view=null,picked=-1;
function fit(){const r=canvas.getBoundingClientRect(),d=devicePixelRatio||1;canvas.width=r.width*d;canvas.height=r.height*d;
 const k=Math.min(r.width/(box[2]-box[0]),r.height/(box[3]-box[1]))*.94;view={k:k*d,x:(box[0]+box[2])/2,y:(box[1]+box[3])/2,d}}
const X=x=>(x-view.x)*view.k+canvas.width/2,Y=y=>(view.y-y)*view.k+canvas.height/2;
function trace(shape,p){const c=Math.cos(p[2]),s=Math.sin(p[2]);g.beginPath();
 for(const q of shape){if(Array.isArray(q)){q.forEach(([x,y],i)=>g[i?'lineTo':'moveTo'](X(p[0]+c*x-s*y),Y(p[1]+s*x+c*y)));g.closePath()}
  else{const x=p[0]+c*q.c[0]-s*q.c[1],y=p[1]+s*q.c[0]+c*q.c[1];g.moveTo(X(x)+q.r*view.k,Y(y));g.arc(X(x),Y(y),q.r*view.k,0,7)}}}
function line(ps){g.beginPath();ps.forEach(([x,y],i)=>g[i?'lineTo':'moveTo'](X(x),Y(y)))}
function label(text,x,y,colour){g.font=`600 ${12*view.d}px system-ui`;const w=g.measureText(text).width+10*view.d,h=19*view.d;
 g.fillStyle='rgba(255,255,255,.92)';g.fillRect(X(x)+10*view.d,Y(y)-h-6*view.d,w,h);g.fillStyle=colour;g.fillText(text,X(x)+15*view.d,Y(y)-12*view.d)}
function draw(){const t=t0+(t1-t0)*time.value/1000,px=view.d;clock.textContent=t.toFixed(2)+' s';
 g.fillStyle='#fbfcfd';g.fillRect(0,0,canvas.width,canvas.height);
 for(const l of D.lanelets){g.beginPath();l.left.concat([...l.right].reverse()).forEach(([x,y],i)=>g[i?'lineTo':'moveTo'](X(x),Y(y)));g.fillStyle='#eceff3';g.fill()}
 g.strokeStyle='#c3cad3';g.lineWidth=px;for(const l of D.lanelets){line(l.left);g.stroke();line(l.right);g.stroke()}
 g.strokeStyle='#0a8f5b';g.setLineDash([6*px,4*px]);for(const s of D.goals){trace(s,[0,0,0]);g.stroke()}g.setLineDash([]);
 for(const o of D.obstacles){if(o.pose){trace(o.shape,o.pose);g.fillStyle='#aab3bf';g.fill();g.strokeStyle='#7c8794';g.stroke()}
  for(const s of o.sets||[])if(t>=s.from&&t<=s.to){trace(s.shape,[0,0,0]);g.fillStyle='rgba(199,119,0,.25)';g.fill();g.strokeStyle='rgba(199,119,0,.8)';g.stroke()}
  if(o.motion){const n=Math.max(1,Math.round(o.motion.length/14));for(let i=0;i<o.motion.length;i+=n){const m=o.motion[i],c=ramp((m[0]-t0)/(t1-t0));
   trace(o.shape,[m[1],m[2],m[3]]);g.strokeStyle=`rgba(${c},.4)`;g.lineWidth=px;g.stroke();g.fillStyle=`rgba(${c},.07)`;g.fill()}}}
 g.lineWidth=px;g.globalAlpha=.16;for(const f of D.faint){line(f.p);g.strokeStyle=colours[f.v];g.stroke()}g.globalAlpha=1;
 D.candidates.forEach((c,i)=>{line(c.motion.map(m=>[m[1],m[2]]));g.strokeStyle=colours[c.verdict];g.globalAlpha=picked<0||picked==i?.9:.15;
  g.lineWidth=(c.chosen||picked==i?3.5:1.6)*px;g.stroke();g.globalAlpha=1});
 for(const o of D.obstacles){const p=o.motion&&poseAt(o.motion,t);if(!p)continue;trace(o.shape,p);const c=ramp((t-t0)/(t1-t0));
  g.fillStyle=`rgb(${c})`;g.fill();g.strokeStyle='#1b2430';g.lineWidth=px;g.stroke()}
 D.candidates.forEach((c,i)=>{const p=poseAt(c.motion,t);if(!p)return;const own=c.self>=0;trace(c.shape,p);
  if(!own){g.fillStyle=colours[c.verdict];g.fill()}g.strokeStyle=own&&picked!=i?'#1b2430':colours[c.verdict];g.lineWidth=(picked==i||!own?2.5:1)*px;g.stroke()});
 D.candidates.forEach((c,i)=>{if(!c.contact||(picked>=0&&picked!=i))return;const[x,y]=c.contact.pose;g.beginPath();g.arc(X(x),Y(y),7*px,0,7);
  g.strokeStyle=colours.collision;g.lineWidth=2.5*px;g.stroke();if(picked==i||D.candidates.length<4)label(`contact with ${c.contact.with}, ${c.contact.t.toFixed(2)} s`,x,y,colours.collision)});
 const metres=[1,2,5,10,20,50,100,200].find(m=>m*view.k>70*px)||500;g.fillStyle='#1b2430';g.fillRect(16*px,canvas.height-22*px,metres*view.k,2*px);
 g.font=`${12*px}px system-ui`;g.fillText(metres+' m',16*px,canvas.height-28*px)}
const h=document.createElement('div');h.innerHTML='<h2>time</h2><div class="note">'+t0.toFixed(1)+' s<span class="ramp" style="background:linear-gradient(90deg,'+
 [0,.33,.66,1].map(s=>`rgb(${ramp(s)})`)+')"></span>'+t1.toFixed(1)+' s</div><h2>trajectories</h2>';aside.append(h);
D.candidates.forEach((c,i)=>{const r=document.createElement('div');r.className='row';const a=document.createElement('b'),v=document.createElement('span');
 a.textContent=c.name;v.textContent=c.verdict;v.className=c.verdict;r.append(a,v);r.onclick=()=>{picked=picked==i?-1:i;if(picked>=0&&c.contact)time.value=1000*(c.contact.t-t0)/(t1-t0);draw()};aside.append(r);
 const n=c.contact?`meets ${c.contact.with} at ${c.contact.t.toFixed(3)} s`:c.doubt?`may meet ${c.doubt.with}, ${c.doubt.from.toFixed(2)} to ${c.doubt.to.toFixed(2)} s`:'';
 if(n){const d=document.createElement('div');d.className='note';d.textContent=n;aside.append(d)}});
time.oninput=draw;let playing=null;play.onclick=()=>{if(playing){clearInterval(playing);playing=null;play.textContent='Play';return}
 play.textContent='Pause';playing=setInterval(()=>{time.value=(+time.value+1000*.03/(t1-t0))%1000;draw()},30)};
canvas.onwheel=e=>{e.preventDefault();const s=Math.exp(-e.deltaY*.001),x=e.offsetX*view.d-canvas.width/2,y=e.offsetY*view.d-canvas.height/2;
 view.x+=x/view.k*(1-1/s);view.y-=y/view.k*(1-1/s);view.k*=s;draw()};
let drag=null;canvas.onpointerdown=e=>{drag=[e.clientX,e.clientY];canvas.setPointerCapture(e.pointerId)};canvas.onpointerup=()=>drag=null;
canvas.onpointermove=e=>{if(!drag)return;view.x-=(e.clientX-drag[0])*view.d/view.k;view.y+=(e.clientY-drag[1])*view.d/view.k;drag=[e.clientX,e.clientY];draw()};
addEventListener('resize',()=>{fit();draw()});fit();draw();
</script></body></html>
)page";

}  // namespace

Result<void> write_page(const TrafficPage& page, const std::filesystem::path& file) {
  Json data = {{"lanelets", Json::array()},
               {"obstacles", Json::array()},
               {"candidates", Json::array()},
               {"faint", Json::array()},
               {"goals", Json::array()}};
  for (const Lanelet& lanelet : page.lanelets)
    data["lanelets"].push_back({{"left", points(lanelet.left)}, {"right", points(lanelet.right)}});
  for (const spacetime::Obstacle& o : page.obstacles) data["obstacles"].push_back(obstacle(o));
  for (const PageCandidate& c : page.candidates) data["candidates"].push_back(candidate(c, page));
  for (const FaintPath& path : page.faint_paths)
    data["faint"].push_back({{"v", to_string(path.verdict)}, {"p", points(path.line)}});
  for (const Footprint& goal : page.goals) data["goals"].push_back(shape(goal));
  int counts[3] = {};
  for (const PageCandidate& c : page.candidates) ++counts[static_cast<int>(c.result.verdict)];
  std::string text = data.dump();
  // A name such as "</script>" must not end the script.
  for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3)
    text.replace(at, 2, "<\\/");
  return write_file(
      file,
      fmt::format(
          "{}<title>{}</title>\n<header><h1>{}</h1><span>{} obstacles &middot; {} trajectories: "
          "{} free, {} collision, {} undecided</span><span>{}</span></header>\n"
          "<script>const D={};</script>\n{}",
          kHead, xml_escaped(page.title), xml_escaped(page.title), page.obstacles.size(),
          page.candidates.size(), counts[0], counts[1], counts[2], xml_escaped(page.subtitle), text,
          kBody));
}

}  // namespace proven::tools
