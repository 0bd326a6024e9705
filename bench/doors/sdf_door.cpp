// SDF 1.5 to 1.12, as the descriptions of sdformat say.
#include <fmt/format.h>

#include "bench/doors/converted.h"
#include "proven/io/file.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;

// Decoration: looks, masses, forces, dynamics of joints and contacts, sensors and plugins. Names of
// collisions, to which nothing refers.
constexpr SpecRow kRows[] = {
    {"sdf", "version=w(1.5|1.6|1.7|1.8|1.9|1.10|1.11|1.12)!", "model! light~ actor~", "d"},
    {"model", "name=t! canonical_link=t/e? placement_frame=t/e?",
     "static?{false} self_collide~ allow_auto_disable~ enable_wind~ frame* pose?{0 0 0 0 0 "
     "0} link* joint* "
     "include* model* plugin~ gripper~"},
    {"static", "", "", "b"},
    {"include", "merge=b?false placement_frame=t/e?",
     "uri! name?{probe} pose?{0 0 0 0 0 0} static? placement_frame? plugin~"},
    {"uri include/name", "", "", "t"},
    {"placement_frame", "", "", "t/e"},
    {"frame", "name=t! attached_to=t/e?", "pose?{0 0 0 0 0 0}"},
    {"pose", "relative_to=t/e? rotation_format=w(euler_rpy|quat_xyzw)?euler_rpy degrees=b?false",
     "", "N6/e"},
    {"frame/pose", "relative_to=t/e? rotation_format=w(euler_rpy|quat_xyzw)!", "", "N7/e"},
    {"link", "name=t!",
     "pose?{0 0 0 0 0 0} collision* gravity~ enable_wind~ kinematic~ must_be_base_link~ "
     "velocity_decay~ inertial~ visual~ light~ self_collide~ sensor~ projector~ audio_sink~ "
     "audio_source~ battery~ particle_emitter~"},
    {"collision", "name=d!", "pose?{0 0 0 0 0 0} geometry! surface? laser_retro~ max_contacts~"},
    {"geometry", "", "box? sphere? cylinder? capsule? mesh? empty?", "",
     "box|sphere|cylinder|capsule|mesh|empty"},
    {"box", "", "size!"},
    {"sphere", "", "radius!"},
    {"cylinder capsule", "", "radius! length!"},
    {"size", "", "", "N3"},
    {"radius length", "", "", "p"},
    {"mesh", "", "uri! scale?{1 1 1} submesh?"},
    {"scale", "", "", "N3"},
    {"surface", "", "contact? bounce~ friction~ soft_contact~"},
    {"contact", "",
     "collide_bitmask?{65535} category_bitmask?{65535} collide_without_contact?{false} "
     "collide_without_contact_bitmask~ ode~ bullet~ poissons_ratio~ elastic_modulus~"},
    {"collide_without_contact", "", "", "b"},
    {"collide_bitmask category_bitmask", "", "", "u"},
    {"empty", "", ""},
    {"joint",
     "name=t! type=w(fixed|revolute|continuous|prismatic|ball|universal|revolute2|screw|gearbox)!",
     "parent! child! pose?{0 0 0 0 0 0} axis? physics~ sensor~"},
    {"parent child", "", "", "t"},
    {"axis", "", "xyz! limit? dynamics~ initial_position~ mimic? use_parent_model_frame?{false}"},
    {"use_parent_model_frame", "", "", "b"},
    {"xyz", "expressed_in=t/e?", "", "N3"},
    {"limit", "", "lower?{-1e16} upper?{1e16} velocity?{-1} effort~ stiffness~ dissipation~"},
    {"lower upper velocity", "", "", "w(inf|-inf)/n"},
    {"mimic", "joint=t! axis=w(axis|axis2)?axis", "multiplier?{1} offset?{0} reference?{0}"},
    {"multiplier offset reference", "", "", "n"},
};

constexpr const char* kArm = R"(<sdf version="1.9">
  <model name="arm" canonical_link="base">
    <pose>0.1 0.2 0.5 0.1 0.2 0.3</pose>
    <self_collide>true</self_collide>
    <link name="upper">
      <pose relative_to="shoulder">0.01 0 0 0 0.1 0</pose>
      <collision name="rod"><pose degrees="true">0.2 0 0 0 80 0</pose><geometry><cylinder><radius>0.04</radius><length>0.4</length></cylinder></geometry></collision>
      <collision name="tip"><pose relative_to="flange">0 0 0.1 0 0 0.3</pose><geometry><mesh><uri>corner.stl</uri><scale>0.5 0.6 0.7</scale></mesh></geometry></collision>
      <sensor name="s" type="imu"/>
    </link>
    <link name="base">
      <pose>0 0.01 0 0 0 0</pose>
      <inertial><mass>1</mass></inertial>
      <collision name="box"><geometry><box><size>0.2 0.25 0.1</size></box></geometry>
        <surface><contact><collide_bitmask>65535</collide_bitmask></contact><friction><ode><mu>1</mu></ode></friction></surface></collision>
      <visual name="v"><geometry><box><size>0.2 0.2 0.1</size></box></geometry></visual>
    </link>
    <frame name="flange" attached_to="upper"><pose rotation_format="quat_xyzw">0.4 0 0 0 0 0.6 0.8</pose></frame>
    <frame name="mark"><pose relative_to="base" rotation_format="quat_xyzw">0.1 0 0.3 0.6 0 0 0.8</pose></frame>
    <joint name="fixed" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="shoulder" type="revolute">
      <pose relative_to="mark">0 0 0.05 0.2 0 0</pose>
      <parent>mark</parent><child>upper</child>
      <axis><xyz expressed_in="__model__">0 0.6 0.8</xyz><limit><lower>-2</lower><upper>1.5</upper><velocity>1.2</velocity><effort>10</effort></limit><dynamics><damping>1</damping></dynamics></axis>
      <physics><ode/></physics>
    </joint>
    <model name="tool" placement_frame="grip">
      <pose relative_to="flange">0 0.02 0 0.1 0 0</pose>
      <link name="hand"><collision name="ball"><geometry><sphere><radius>0.05</radius></sphere></geometry></collision></link>
      <frame name="grip" attached_to="finger"><pose rotation_format="quat_xyzw">0 0 0.03 0 0 0 1</pose></frame>
      <link name="finger"><pose>0 0 0.1 0 0 0</pose><collision name="bar"><geometry><capsule><radius>0.01</radius><length>0.05</length></capsule></geometry></collision></link>
      <joint name="slide" type="prismatic"><parent>hand</parent><child>finger</child>
        <axis><xyz>0.2 0 1</xyz><limit><lower>-0.1</lower><upper>0.1</upper></limit><mimic joint="wrist"><multiplier>-0.5</multiplier><offset>0.02</offset><reference>0.01</reference></mimic></axis></joint>
      <joint name="wrist" type="prismatic"><pose>0 0 0.01 0 0 0</pose><parent>hand</parent><child>thumb</child>
        <axis><xyz>1 0 0.1</xyz><limit><lower>0.01</lower><upper>0.1</upper></limit></axis></joint>
      <link name="thumb"><collision name="c"><geometry><box><size>0.01 0.02 0.03</size></box></geometry></collision></link>
    </model>
    <joint name="mount" type="continuous"><parent>flange</parent><child>tool::hand</child><axis><xyz>0 1 0.3</xyz><limit><velocity>2</velocity></limit></axis></joint>
    <include><name>probe</name><uri>probe</uri><placement_frame>foot</placement_frame><pose relative_to="flange">0 0.2 0 0 0.1 0</pose></include>
    <joint name="probe_fixed" type="fixed"><parent>upper</parent><child>probe::stick</child></joint>
    <plugin name="p" filename="f"/>
  </model>
</sdf>
)";

constexpr const char* kOld = R"(<sdf version="1.5">
  <model name="old">
    <static>false</static>
    <link name="a"><pose>0.1 0 0.2 0 0 0.5</pose><collision name="c"><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision></link>
    <link name="b"><pose>0.1 0 0.6 0 0.2 0.5</pose><collision name="c"><pose>0 0 0.1 0.1 0 0</pose><geometry><sphere><radius>0.07</radius></sphere></geometry></collision></link>
    <joint name="j" type="revolute"><parent>a</parent><child>b</child><pose>0 0 0.05 0 0 0.1</pose>
      <axis><xyz>0 1 0.2</xyz><use_parent_model_frame>true</use_parent_model_frame><limit><lower>-1</lower><upper>1.1</upper></limit></axis></joint>
  </model>
</sdf>
)";

constexpr const char* kProbe = R"(<sdf version="1.9"><model name="stick">
  <link name="stick"><collision name="c"><geometry><cylinder><radius>0.01</radius><length>0.1</length></cylinder></geometry></collision></link>
  <frame name="foot"><pose>0 0 -0.05 0 0 0</pose></frame>
</model></sdf>
)";

}  // namespace

std::vector<Door> sdf_doors() {
  static const Spec kSpec{kRows};
  Door door;
  door.name = "SDF";
  door.ending = ".sdf";
  door.spec = &kSpec;
  door.files = {{"arm", kArm}, {"old", kOld}};
  door.readers = converted_readers();
  door.prepare = [](const fs::path& folder) {
    write_corner(folder / "corner.stl", 0.1);
    fs::create_directories(folder / "probe");
    (void)write_file(folder / "probe/model.sdf", kProbe);
    (void)write_file(folder / "probe/model.config",
                     "<model><name>probe</name><sdf version=\"1.9\">model.sdf</sdf></model>");
  };
  return {door};
}

}  // namespace proven::bench
